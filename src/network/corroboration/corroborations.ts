// Has some of the pages that are crawled here fetched again, soon, by a peer in another network, and keeps what that saw beside them.
//
// The peer that crawls a site stays in command: it chooses the page and who looks, and holds the host's turn meanwhile. A page about which
// two peers saw different things is contested: it and its neighbours on the host are looked at again more often, for a while, and by two.
// What the other says counts only with its signature over the very bytes. Bounded: few wait, the oldest are left out first.

import { PolyhistorError } from '../../errors.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { CorroborationStatus } from '../../model/peer-status.ts'
import type { Url } from '../../model/url/url.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import type { Corroboration, CorroborationVerdict } from '../../proof/corroboration.ts'
import { fitsQuestion, lookAnswer, lookQuestion, type SeenPage } from './corroboration-messages.ts'

export interface CapturedPage {
  readonly url: Url
  readonly capturedAtMs: number
  /** How often it was captured before, as far as that is known: what is visited often is popular. */
  readonly isPopular: boolean
}

interface Needs {
  readonly calls: CallService
  readonly random: Random
  readonly log: Log
  /** Peers of other networks than ours first, those whose networks are not known last; only such as are there. */
  witnesses(): readonly PeerId[]
  /** Runs it in the host's turn; undefined when that does not come in time. */
  inTurn<T>(url: Url, ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined>
  /** What it signed, checked against what it sent; undefined when something is wrong. */
  check(peer: PeerId, url: Url, seen: SeenPage): Pick<Corroboration, 'facts' | 'signature'> | undefined
  compare(page: CapturedPage, seen: SeenPage): Promise<CorroborationVerdict | undefined>
  keep(page: CapturedPage, looks: readonly Corroboration[]): Promise<void>
}

const waitingMax = 256
const atOnce = 4
const answerMs = 60_000
const contestedMax = 1_024
/** Times as often as others. */
const [contestedFactor, popularFactor] = [20, 4]

export class Corroborations {
  readonly #needs: Needs
  readonly #share: number
  readonly #waiting: CapturedPage[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #contested = new LruCache<string, true>({ max: contestedMax })
  readonly #stop = new AbortController()
  #status: CorroborationStatus = { asked: 0, same: 0, alike: 0, other: 0, failed: 0 }

  /** `share`: of pages, 0 to 1. */
  constructor(needs: Needs, share: number) {
    this.#needs = needs
    this.#share = share
  }

  get status(): CorroborationStatus {
    return this.#status
  }

  /** A page was captured here, and is kept. */
  consider(page: CapturedPage): void {
    if (this.#stop.signal.aborted || !fitsQuestion(page.url.href)) return
    const isContested = this.#contested.get(page.url.authority) !== undefined
    const factor = isContested ? contestedFactor : page.isPopular ? popularFactor : 1
    if (this.#needs.random.fraction() >= this.#share * factor) return
    this.#waiting.push(page)
    if (this.#waiting.length > waitingMax) this.#waiting.shift()
    this.#begin()
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the peer stops'))
    await Promise.all(this.#running)
  }

  #begin(): void {
    while (this.#running.size < atOnce) {
      const page = this.#waiting.shift()
      if (page === undefined) return
      const running = this.#corroborate(page)
        .catch((error: unknown) => {
          if (!(error instanceof PolyhistorError) && !this.#stop.signal.aborted) throw error
        })
        .finally(() => {
          this.#running.delete(running)
          this.#begin()
        })
      this.#running.add(running)
    }
  }

  async #corroborate(page: CapturedPage): Promise<void> {
    const { authority } = page.url
    const looks: Corroboration[] = []
    for (const peer of this.#needs.witnesses()) {
      const look = await this.#look(peer, page)
      if (look === undefined) continue
      looks.push(look)
      // Then somebody else is asked, too.
      if (look.verdict === 'other') this.#contested.set(authority, true)
      if (looks.length >= (this.#contested.get(authority) === undefined ? 1 : 2)) break
    }
    if (looks.length === 0) return
    if (looks.some(({ verdict }) => verdict === 'other'))
      this.#needs.log.info({ url: page.url.href }, 'Another peer saw something else')
    await this.#needs.keep(page, looks)
  }

  async #look(peer: PeerId, page: CapturedPage): Promise<Corroboration | undefined> {
    const { calls, check, compare, inTurn } = this.#needs
    const { signal } = this.#stop
    this.#count('asked')
    const question = lookQuestion.encode({ url: page.url.href })
    try {
      const options = { deadlineMs: answerMs, signal, channel: 'bulk' as const }
      const bytes = await inTurn(page.url, () => calls.call(peer, question, options), signal)
      const answer = bytes && lookAnswer.decode(bytes)
      const signed = answer?.kind === 'seen' ? check(peer, page.url, answer) : undefined
      const verdict = signed && (await compare(page, answer as SeenPage))
      if (signed === undefined || verdict === undefined) return this.#fail()
      this.#count(verdict)
      return { ...signed, verdict }
    } catch (error) {
      if (!(error instanceof PolyhistorError) || signal.aborted) throw error
      return this.#fail()
    }
  }

  #fail(): undefined {
    this.#count('failed')
  }

  #count(what: keyof CorroborationStatus): void {
    this.#status = { ...this.#status, [what]: this.#status[what] + 1 }
  }
}
