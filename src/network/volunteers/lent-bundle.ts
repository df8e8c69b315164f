// A bundle: URLs of one host, lent to volunteers, from the crawl's asking for them until each has its outcome.
//
//   normal   gathered, and handed to a volunteer that waited
//   pending  out, until its deadline
//   high     somebody was late with it: it goes to the next volunteer before all new work, and then back to the frontier
//   checked  some of what came, or all of it, is fetched by another volunteer in another network, or by this peer
//
// The host is asked by one at a time through all of that, and has its pause in between; what cannot be got so goes back to the queue.
// Leaves to others: the host's pace (lent-host-pace.ts), handing out and reading what comes back (bundle-asking.ts), and whether that is
// believed (second-looks.ts).

import type { FetchOptions } from '../../crawl/fetch/fetcher.ts'
import type { FetchOutcome } from '../../crawl/fetch/outcome.ts'
import { type LentHost, notAsked } from '../../crawl/lent-fetching.ts'
import { PolyhistorError } from '../../errors.ts'
import type { Url } from '../../model/url/url.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type AskingNeeds, BundleAsking } from './bundle-asking.ts'
import { LentHostPace, type PaceNeeds } from './lent-host-pace.ts'
import { isSendable, type LentPage, PageOutcomes } from './lent-pages.ts'
import { type LookNeeds, SecondLooks } from './second-looks.ts'
import { urlsMax } from './volunteer-messages.ts'
import type { AskedPlace, WaitingVolunteer } from './waiting-asks.ts'

export interface BundleNeeds extends AskingNeeds, LookNeeds, PaceNeeds {
  /** Somebody was late with it: so long it took until all its URLs had come to an end. */
  noteOverdue(url: Url, ms: number): void
  /** It went back to the queue; `isOurs`: no volunteer can do it. */
  returned(url: Url, isOurs: boolean): void
}

/** Volunteers that a bundle is handed to before it goes back. */
const handedMax = 3
/** How long a volunteer is waited for, for work that is overdue. */
const overdueWaitMs = 5_000
/** A bundle is not to take longer than this, at the pace of its host. */
const bundleMsMax = 60_000
/** Besides the first: all that newcomers bring is fetched twice. */
const newcomerRoom = 5
/** The same, for one of which it is to be found out how near it is. */
const trialRoom = 1

export class LentBundle implements LentHost {
  readonly room: number
  readonly #needs: BundleNeeds
  readonly #place: AskedPlace
  readonly #outcomes: PageOutcomes
  readonly #asking: BundleAsking
  readonly #looks: SecondLooks
  readonly #pages: LentPage[] = []
  #expected = 1
  #left = 0

  /** `isSure`: whether the volunteer's way to the host is known. */
  constructor(needs: BundleNeeds, place: AskedPlace, url: Url, isSure: boolean) {
    this.#needs = needs
    this.#place = place
    const pace = new LentHostPace(needs, url)
    this.#outcomes = new PageOutcomes(needs)
    this.#asking = new BundleAsking(needs, { pace, outcomes: this.#outcomes })
    this.#looks = new SecondLooks(needs, { pace, outcomes: this.#outcomes, asking: this.#asking })
    const eachMs = pace.pauseMs() + 1_000
    const trustedRoom = needs.checkChanceOf(place.peer) === 1 ? newcomerRoom : urlsMax - 2
    const roomMax = isSure ? trustedRoom : Math.min(trustedRoom, trialRoom)
    this.room = Math.min(roomMax, Math.max(0, Math.floor(bundleMsMax / eachMs) - 1))
  }

  expect(count: number): void {
    this.#expected += count
  }

  fetch(url: Url, options: FetchOptions): Promise<FetchOutcome> {
    return new Promise((resolve, reject) => {
      const { signal } = options
      const abort = () => reject(signal?.reason)
      if (signal?.aborted) return abort()
      signal?.addEventListener('abort', abort, { once: true })
      const settle = (outcome: FetchOutcome) => {
        signal?.removeEventListener('abort', abort)
        resolve(outcome)
      }
      this.#pages.push({ url, options, resolve: settle })
      this.#beginIfWhole()
    })
  }

  leaveOut(): void {
    this.#left++
    this.#beginIfWhole()
  }

  #beginIfWhole(): void {
    if (this.#pages.length + this.#left < this.#expected) return
    if (this.#pages.length === 0) this.#place.giveBack()
    else this.#begin()
  }

  #begin(): void {
    const { clock, noteOverdue } = this.#needs
    const begunAtMs = clock.monotonicMs()
    void this.#run(this.#place)
      .catch((error: unknown) => {
        // Nobody may wait for ever.
        for (const { resolve } of this.#pages) resolve(notAsked)
        if (!(error instanceof PolyhistorError)) throw error
      })
      .finally(() => {
        if (this.#asking.wasOverdue) noteOverdue(this.#pages[0]!.url, clock.monotonicMs() - begunAtMs)
      })
  }

  async #run(first: AskedPlace): Promise<void> {
    const fit = this.#pages.filter((page) => isSendable(page))
    for (const page of this.#pages) if (!fit.includes(page)) this.#outcomes.giveBack(page, true)
    if (fit.length === 0) return first.giveBack()
    const canaries = this.#looks.canaries(fit)
    let waiting: readonly LentPage[] = [...fit, ...canaries]
    const tried = new Set<PeerId>()
    let place: AskedPlace | undefined = first
    for (let count = 0; place !== undefined && waiting.length > 0; count++) {
      const by: WaitingVolunteer = place
      tried.add(by.peer)
      const { said, unsaid, isPaused } = await this.#asking.ask(
        place,
        waiting,
        count === 0 ? 'normal' : 'high',
      )
      place = undefined
      const isHonest = await this.#looks.settle(by, said)
      waiting = isHonest
        ? unsaid
        : [...unsaid, ...said.map(({ page }) => page).filter((page) => !this.#outcomes.isDone(page))]
      waiting = waiting.filter(({ known }) => known === undefined)
      if (isPaused || waiting.length === 0 || count + 1 >= handedMax) break
      place = await this.#needs.next(({ peer }) => !tried.has(peer), overdueWaitMs)
    }
    for (const page of waiting) this.#outcomes.giveBack(page)
  }
}
