// Site head starts: how much earlier than others an important site's pages are asked for, where not all can be asked at once.
//
// By orders of magnitude of its score: a site with a hundredth of all ranks has two thirds of what the first of all could have, one with a
// millionth nothing. So the effect is bounded: nobody waits for more than headStartMsMax longer than it would otherwise.

import { LruCache } from '../model/lru-cache.ts'
import { tryParseUrl } from '../model/url/url.ts'

/** What of the ranks is needed. */
interface SiteScores {
  readonly computedMs: number
  scoreOfSite(site: string): number | undefined
}

export const headStartMsMax = 10_000
const magnitudes = 6
const hostsKept = 20_000
/** Asked for with every page: whether there are new ranks is looked at now and then. */
const asksPerLook = 1_000

export class SiteHeadStarts {
  readonly #scores: SiteScores
  readonly #known = new LruCache<string, number>({ max: hostsKept })
  #computedMs: number
  #asks = 0

  constructor(scores: SiteScores) {
    this.#scores = scores
    this.#computedMs = scores.computedMs
  }

  /** In ms. */
  of(authority: string): number {
    if (++this.#asks % asksPerLook === 0) this.#look()
    if (this.#computedMs === 0) return 0
    const known = this.#known.get(authority)
    if (known !== undefined) return known
    const site = tryParseUrl(`http://${authority}/`)?.site
    const score = (site && this.#scores.scoreOfSite(site)) ?? 0
    const importance = score > 0 ? Math.min(1, Math.max(0, 1 + Math.log10(score) / magnitudes)) : 0
    const headStartMs = Math.round(headStartMsMax * importance)
    this.#known.set(authority, headStartMs)
    return headStartMs
  }

  #look(): void {
    const { computedMs } = this.#scores
    if (computedMs === this.#computedMs) return
    this.#computedMs = computedMs
    this.#known.clear()
  }
}
