// The names of all sites that this peer keeps, in the order of the alphabet, for lists and near misses.
//
// The index keeps sites in the order of the ring, so they have to be collected before they can be sorted. That takes one look
// into the index for each site, is done for all who ask at once, and again only when the archive has changed and the list is
// old; a long list is not waited for when there is one of before. Bounded: of more sites than the limit the rest is found by name
// only, and `isMore` says so.

import { tryParseUrl } from '../model/url/url.ts'
import type { PageSiteNames, SiteNameList } from './archive.ts'

interface SiteSource {
  /** A capture of each site. */
  sites(): Iterable<{ readonly url: string }>
  /** Another number after every change. */
  readonly revision: number
}

interface SiteNamesLimits {
  readonly names: number
  /** A list is as good as new for so long, and longer the more it took to collect it. */
  readonly ageMs: number
  readonly ageMsPerName: number
  /** From so many on, the list of before is given while a new one is collected. */
  readonly waitedNames: number
}

const siteNamesLimits: SiteNamesLimits = {
  names: 20_000,
  ageMs: 2_000,
  ageMsPerName: 3,
  waitedNames: 1_000,
}

const namesPerBreath = 200

interface Needs {
  readonly source: SiteSource
  readonly monotonicMs: () => number
  readonly breathe: () => Promise<void>
}

export class SiteNames implements PageSiteNames {
  readonly #needs: Needs
  readonly #limits: SiteNamesLimits
  #list: SiteNameList | undefined
  #collectedAtMs = 0
  #revision = 0
  #collecting: Promise<SiteNameList> | undefined

  constructor(needs: Needs, limits = siteNamesLimits) {
    this.#needs = needs
    this.#limits = limits
  }

  async all(): Promise<SiteNameList> {
    const { source, monotonicMs } = this.#needs
    const list = this.#list
    const youngMs = this.#limits.ageMs + (list?.names.length ?? 0) * this.#limits.ageMsPerName
    // Who has just kept the first page is not told that there is none; to look at nothing costs nothing.
    const isYoung = list?.names.length !== 0 && monotonicMs() - this.#collectedAtMs < youngMs
    if (list !== undefined && (isYoung || source.revision === this.#revision)) return list
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = undefined
    })
    if (list === undefined || list.names.length < this.#limits.waitedNames) return this.#collecting
    // Who asks the next time is told of a failure, if it lasts.
    this.#collecting.catch(() => {})
    return list
  }

  async #collect(): Promise<SiteNameList> {
    const { source, breathe, monotonicMs } = this.#needs
    const { revision } = source
    const names = new Set<string>()
    let looked = 0
    for (const { url } of source.sites()) {
      const site = tryParseUrl(url)?.site
      if (site !== undefined) names.add(site)
      if (names.size > this.#limits.names) break
      if (++looked % namesPerBreath === 0) await breathe()
    }
    const isMore = names.size > this.#limits.names
    this.#list = { names: [...names].slice(0, this.#limits.names).sort(), isMore }
    this.#revision = revision
    this.#collectedAtMs = monotonicMs()
    return this.#list
  }
}
