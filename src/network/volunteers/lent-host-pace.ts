// The pace of a host while it is lent: when it may be asked next, by whomever, and this peer's own fetches from it meanwhile.

import type { FetchOptions } from '../../crawl/fetch/fetcher.ts'
import type { FetchOutcome } from '../../crawl/fetch/outcome.ts'
import type { HostTerms } from '../../crawl/frontier/frontier-hosts.ts'
import { pauseMsOf } from '../../crawl/politeness/host-pace.ts'
import type { Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { BundlePace } from './volunteer-messages.ts'

export interface PaceNeeds {
  readonly clock: Clock
  /** Fetched by this peer itself. */
  fetchHere(url: Url, options: FetchOptions): Promise<FetchOutcome>
  termsOf(url: Url): HostTerms
  /** The host was asked until now, by whomever. */
  rest(url: Url): void
}

export class LentHostPace {
  readonly #needs: PaceNeeds
  readonly #url: Url
  readonly #terms: HostTerms
  /** By the monotonic clock. */
  #nextAtMs: number
  #responseMs: number | undefined

  /** `url`: any of the host. */
  constructor(needs: PaceNeeds, url: Url) {
    this.#needs = needs
    this.#url = url
    this.#terms = needs.termsOf(url)
    this.#responseMs = this.#terms.pace.responseMs
    this.#nextAtMs = needs.clock.monotonicMs()
  }

  /** Until it may be asked. */
  get waitMs(): number {
    return Math.max(0, Math.ceil(this.#nextAtMs - this.#needs.clock.monotonicMs()))
  }

  /** At the host's pace. undefined when its site is not ours any more. */
  async fetchHere({
    url,
    options,
  }: {
    readonly url: Url
    readonly options: FetchOptions
  }): Promise<FetchOutcome | undefined> {
    const { clock } = this.#needs
    const waitMs = this.#nextAtMs - clock.monotonicMs()
    if (waitMs > 0) await clock.sleep(waitMs, options.signal)
    const outcome = await this.#needs.fetchHere(url, options)
    if (outcome.kind === 'failed' && outcome.code === 'address-forbidden') return undefined
    if (outcome.kind !== 'failed') this.#responseMs = outcome.responseMs
    this.asked()
    return outcome
  }

  /** By somebody, until now. */
  asked(): void {
    this.#needs.rest(this.#url)
    const endedAtMs = this.#needs.clock.monotonicMs()
    this.#nextAtMs = Math.max(this.#nextAtMs, endedAtMs + this.pauseMs())
  }

  /** What its last answer took. */
  noteResponse(responseMs: number): void {
    this.#responseMs = responseMs
  }

  pauseMs(responseMs = this.#responseMs): number {
    const { pace, rules } = this.#terms
    return pauseMsOf({ crawlDelayMs: pace.crawlDelayMs, responseMs }, rules)
  }

  /** As volunteers are told. */
  wirePace(): BundlePace {
    const { pace, rules } = this.#terms
    const { delayMs, delayFactor, delayMsMin, delayMsMax, ruleDelayMs = 0, crawlDelayMsMax } = rules
    const leastMs = Math.ceil(Math.max(ruleDelayMs, Math.min(pace.crawlDelayMs, crawlDelayMsMax)))
    return { delayMs, delayFactor: Math.ceil(delayFactor), delayMsMin, delayMsMax, leastMs }
  }
}
