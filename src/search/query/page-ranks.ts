// Page ranks: what the score of a document is multiplied with, by the rank of its page and of its site.
//
// Ranks are those of the whole network, of the best pages and sites of it: a list that is the same at every peer, so that scores are, too.
// A page that is not among them counts by its site. Computed once for each segment and list.

import { tryParseLink } from '../../model/url/url.ts'
import { pageNumber } from '../index/index-keys.ts'
import type { Segment } from '../index/segment.ts'

/** By href. Ranks are shares of all. */
export interface RankList {
  readonly pages: readonly { readonly url: string; readonly score: number }[]
  readonly sites: readonly { readonly url: string; readonly score: number }[]
}

export const noRanks: RankList = { pages: [], sites: [] }

/** A rank of a millionth counts a little, one of a tenth the most. */
const scale = 1e6
const weightOfPage = 1 / 20
const weightOfSite = 1 / 40
const gainMax = Math.log2(1 + scale)

/** No document is raised by more. */
export const rankFactorMax = 1 + (weightOfPage + weightOfSite) * gainMax

export class PageRanks {
  readonly #pages: ReadonlyMap<number, number>
  readonly #sites: ReadonlyMap<string, number>
  readonly #factors = new WeakMap<Segment, Float32Array>()

  constructor({ pages, sites }: RankList) {
    this.#pages = new Map(pages.map(({ url, score }) => [pageNumber(url), weightOfPage * gainOf(score)]))
    this.#sites = new Map(
      sites.map(({ url, score }) => [tryParseLink(url)?.site ?? '', weightOfSite * gainOf(score)]),
    )
  }

  /** For each document of a segment. */
  of(segment: Segment): Float32Array | undefined {
    if (this.#pages.size + this.#sites.size === 0) return undefined
    let factors = this.#factors.get(segment)
    if (factors === undefined) this.#factors.set(segment, (factors = this.#factorsOf(segment)))
    return factors
  }

  #factorsOf({ columns }: Segment): Float32Array {
    const bySite = columns.siteNames.map((site) => this.#sites.get(site) ?? 0)
    const factors = new Float32Array(columns.count)
    for (let index = 0; index < columns.count; index++)
      factors[index] = 1 + (this.#pages.get(columns.pages[index]!) ?? 0) + bySite[columns.sites[index]!]!
    return factors
  }
}

function gainOf(rank: number): number {
  return Math.log2(1 + scale * Math.min(1, Math.max(0, rank)))
}
