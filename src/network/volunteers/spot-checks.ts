// Spot checks: pages that only one volunteer has seen stay open until enough of its later work was compared. Of one that brings nothing
// more, some of its open pages are fetched again by this peer, chosen by chance: it cannot have known which.
//
// All of them the same: its open pages stand. One is another, and this peer sees that twice: its open pages are doubted, all of them, and
// it is a newcomer again. Nobody is shut out for that: between both looks the page may have changed. A page that is another each time
// tells nothing, and the next is looked at instead.
//
// Bounded: one check of each volunteer, of settlingPages looks and as many again; a check that does not come to its end begins anew.

import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type Random, shuffled } from '../../platform/random.ts'
import type { VolunteerBook } from './volunteer-book.ts'

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly book: VolunteerBook
  canCrawl(href: string): boolean
  /** Has this peer fetch them itself; looked() is told. */
  fetchAgain(hrefs: readonly string[]): void
}

interface Check {
  readonly peer: PeerId
  /** It speaks for its pages up to this number. */
  readonly until: number
  readonly spare: string[]
  readonly looks: Map<string, 'first' | 'second'>
  readonly endsAtMs: number
}

const checkMsMax = 10 * 60_000

export class SpotChecks {
  readonly #needs: Needs
  readonly #settlingPages: number
  readonly #checks = new Map<PeerId, Check>()
  readonly #byHref = new Map<string, Check>()

  constructor(needs: Needs, { settlingPages }: { readonly settlingPages: number }) {
    this.#needs = needs
    this.#settlingPages = settlingPages
  }

  /** Looks at what is open of those that bring nothing more. */
  begin(isQuiet: (peer: PeerId) => boolean): void {
    const nowMs = this.#needs.clock.monotonicMs()
    for (const check of [...this.#checks.values()]) if (check.endsAtMs < nowMs) this.#end(check)
    for (const peer of [...this.#needs.book.open.keys()])
      if (!this.#checks.has(peer) && isQuiet(peer)) this.#check(peer)
  }

  has(href: string): boolean {
    return this.#byHref.has(href)
  }

  /** This peer has fetched it; `isSame`: as what was kept of it, but for noise. */
  async looked(href: string, isSame: boolean): Promise<void> {
    const check = this.#byHref.get(href)
    if (check === undefined) return
    const { book } = this.#needs
    const look = check.looks.get(href)!
    if (look === 'first' && !isSame) {
      check.looks.set(href, 'second')
      return this.#needs.fetchAgain([href])
    }
    check.looks.delete(href)
    this.#byHref.delete(href)
    if (look === 'second' && isSame) return this.#stray(check, href)
    book.add(check.peer, look === 'first' ? { agreed: 1, assured: 1 } : { undecided: 1 })
    if (look === 'second') this.#lookAt(check, 1)
    if (check.looks.size > 0) return
    this.#end(check)
    book.settle(check.peer, check.until)
  }

  #check(peer: PeerId): void {
    const { book, clock, random, canCrawl } = this.#needs
    const { hrefs, until } = book.openPagesOf(peer)
    const ours = shuffled(
      hrefs.filter((href) => canCrawl(href) && !this.has(href)),
      random,
    )
    // Whoever crawls their sites now has to see to them.
    if (hrefs.length > 0 && ours.length === 0) return
    const { agreed, markAgreed } = book.of(peer)
    const count = Math.max(0, this.#settlingPages - (agreed - markAgreed))
    const spare = ours.slice(0, count + this.#settlingPages)
    const check = { peer, until, spare, looks: new Map(), endsAtMs: clock.monotonicMs() + checkMsMax }
    this.#checks.set(peer, check)
    this.#lookAt(check, count)
    if (check.looks.size > 0) return
    this.#end(check)
    book.settle(peer, until)
  }

  #lookAt(check: Check, count: number): void {
    const hrefs = check.spare.splice(0, count)
    for (const href of hrefs) {
      check.looks.set(href, 'first')
      this.#byHref.set(href, check)
    }
    if (hrefs.length > 0) this.#needs.fetchAgain(hrefs)
  }

  async #stray(check: Check, href: string): Promise<void> {
    const { book, log, fetchAgain } = this.#needs
    const { peer } = check
    this.#end(check)
    book.restart(peer)
    const hrefs: string[] = []
    await book.doubt(peer, 'open', (one) => hrefs.push(one))
    log.warn({ peer, href, pages: hrefs.length }, 'A volunteer brought another page than this peer sees')
    fetchAgain(hrefs)
  }

  #end(check: Check): void {
    this.#checks.delete(check.peer)
    for (const href of check.looks.keys()) this.#byHref.delete(href)
  }
}
