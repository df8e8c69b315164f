// Seed shares: where readers begin anew, when the archive's keepers have named sites that they trust: each seed alike, and of a seed
// each page that is kept.
//
// Rank then flows from the seeds alone: pages that nobody links to whom they lead to have none, however many there are and however
// they link to each other.

import { tryParseUrl } from '../model/url/url.ts'
import type { PartLinks } from './part-links.ts'

export class SeedShares {
  readonly #pages: number
  /** By seed: its pages that are kept here. */
  readonly #bySeed = new Map<string, number[]>()
  readonly #links: PartLinks

  /** Before the matrix is made; seeds are sites. */
  constructor(links: PartLinks, seeds: readonly string[]) {
    this.#links = links
    this.#pages = links.kept
    if (seeds.length === 0) return
    const wanted = new Set(seeds)
    const siteOf = siteFinder()
    for (let page = 0; page < this.#pages; page++) {
      const site = siteOf(links.names.nameOf(page))
      if (site === undefined || !wanted.has(site)) continue
      const pages = this.#bySeed.get(site)
      if (pages === undefined) this.#bySeed.set(site, [page])
      else pages.push(page)
    }
  }

  /** How many seeds are kept here. */
  get found(): number {
    return this.#bySeed.size
  }

  /** `all`: those found in all parts. undefined when there are none: then all pages are alike. */
  shares(all: number): Float64Array | undefined {
    if (all === 0) return undefined
    const shares = new Float64Array(this.#links.names.count)
    for (const pages of this.#bySeed.values())
      for (const page of pages) shares[page] = 1 / (all * pages.length)
    return shares
  }
}

/** Sites by origin are remembered: pages of a site come one after the other. */
export function siteFinder(): (href: string) => string | undefined {
  let [lastOrigin, lastSite]: [string | undefined, string | undefined] = [undefined, undefined]
  return (href) => {
    const slash = href.indexOf('/', 8)
    const origin = slash === -1 ? href : href.slice(0, slash)
    if (origin === lastOrigin) return lastSite
    lastOrigin = origin
    lastSite = tryParseUrl(`${origin}/`)?.site
    return lastSite
  }
}
