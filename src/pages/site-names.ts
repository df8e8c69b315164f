// The names of all sites of the archive, in the order of the alphabet, for lists and near misses.
//
// The index keeps sites in the order of the ring, so they have to be collected before they can be sorted. That takes one look
// into the index for each site, is done for all who ask at once, and again only when the archive has changed and the list is
// old. Bounded: of more sites than `namesMax` the rest is found by name only, and `isMore` says so.

import { tryParseUrl } from '../record/url.ts'

export interface SiteSource {
  /** A capture of each site. */
  sites(): Iterable<{ readonly url: string }>
  /** Another number after every change. */
  readonly revision: number
}

export interface SiteNameList {
  readonly names: readonly string[]
  readonly isMore: boolean
}

export interface SiteNamesLimits {
  readonly names: number
  /** A list is as good as new for so long. */
  readonly ageMs: number
}

export const siteNamesLimits: SiteNamesLimits = { names: 20_000, ageMs: 10_000 }

const namesPerBreath = 200

interface Needs {
  readonly source: SiteSource
  readonly monotonicMs: () => number
  readonly breathe: () => Promise<void>
}

export class SiteNames {
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
    const isYoung = monotonicMs() - this.#collectedAtMs < this.#limits.ageMs
    if (this.#list !== undefined && (isYoung || source.revision === this.#revision)) return this.#list
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = undefined
    })
    return this.#collecting
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
