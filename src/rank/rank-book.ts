// Rank book: the ranks that this peer has computed, of pages and of sites, with how those of sites have changed.
//
// All of it can be computed again; what a crash leaves half written the next run writes anew. Written in groups, so that others have
// their turn.
//
// Tables: `pages`, by site and href, the rank of a page; `sites`, by site, its scores over time; `facts`: when the last run began, and the
// best pages and sites of it.
// Bounded: pages by what the run computed, those of earlier runs are removed; of each site pointsMax scores, thinned out as they grow
// old; sites of which nothing was computed for a year are forgotten.

import { hash } from 'node:crypto'
import { readableOr } from '../formats/wire/message-bytes.ts'
import { counter, float, text } from '../formats/wire/message-fields.ts'
import { list, record } from '../formats/wire/message-schema.ts'
import { ringKeyOfSite, ringKeyToBytes } from '../model/ring-key.ts'
import type { SiteKey } from '../model/url/site.ts'
import { linkCharsMax, tryParseUrl } from '../model/url/url.ts'
import type { KeyValue, Table } from '../platform/storage/key-value.ts'
import { BestRanks } from './best-ranks.ts'
import type { RankResult } from './rank-run.ts'
import type { RankAnswer, RankAsked, Ranked, RankPoint, RankService } from './rank-service.ts'
import { siteFinder } from './seed-shares.ts'

export const rankTables: readonly string[] = ['pages', 'sites', 'facts']
export const pointsMax = 200
const bestKept = 1_000
const perGroup = 1_000
const siteBytes = 8
const yearMs = 365 * 24 * 3_600_000

const pageRank = record({ run: counter, score: float, href: text(linkCharsMax) })
const siteRank = record({
  site: text(253),
  points: list(record({ atMs: counter, score: float }), pointsMax),
})
const best = record({
  computedMs: counter,
  pages: list(record({ url: text(linkCharsMax), score: float }), bestKept),
  sites: list(record({ url: text(linkCharsMax), score: float }), bestKept),
})
const bestKey = Buffer.from('best')

interface Needs {
  readonly keyValue: KeyValue
  /** It was taken down. */
  isHidden(href: string): boolean
  breathe(): Promise<void>
}

export class RankBook implements RankService {
  readonly #needs: Needs
  readonly #pages: Table
  readonly #sites: Table
  readonly #facts: Table

  constructor(needs: Needs) {
    this.#needs = needs
    this.#pages = needs.keyValue.table('pages')
    this.#sites = needs.keyValue.table('sites')
    this.#facts = needs.keyValue.table('facts')
  }

  /** When the last run began that came to its end here; 0 when none did. */
  get computedMs(): number {
    return this.#best()?.computedMs ?? 0
  }

  rankOf(href: string): number | undefined {
    const url = tryParseUrl(href)
    const stored = url && this.#pages.get(pageKey(url.ringKey, href))
    const known = stored && readableOr(() => pageRank.decode(stored), undefined)
    return known?.href === href ? known.score : undefined
  }

  /** Of the last run that it had a part in; undefined when it is not known. */
  scoreOfSite(site: string): number | undefined {
    return this.#points(site).at(-1)?.score
  }

  async top({ isSites, site, limit }: RankAsked): Promise<RankAnswer> {
    const { computedMs = 0, pages = [], sites = [] } = this.#best() ?? {}
    const ranked = site === undefined ? (isSites ? sites : pages) : await this.#pagesOf(site, limit + 1)
    const shown = ranked.filter(({ url }) => !this.#needs.isHidden(url))
    return { ranked: shown.slice(0, limit), isPartial: shown.length > limit, computedMs }
  }

  async curve(site: string): Promise<readonly RankPoint[]> {
    return this.#points(site)
  }

  async keep({ links, ranks }: RankResult, runMs: number): Promise<void> {
    const siteOf = siteFinder()
    const sites = new Map<string, number>()
    const bestPages = new BestRanks(bestKept)
    for (let first = 0; first < ranks.length; first += perGroup) {
      const group: [Buffer, Uint8Array][] = []
      for (let page = first; page < Math.min(ranks.length, first + perGroup); page++) {
        const [href, score] = [links.names.nameOf(page), ranks[page]!]
        const site = siteOf(href)
        if (site === undefined) continue
        sites.set(site, (sites.get(site) ?? 0) + score)
        bestPages.add(href, score)
        const key = pageKey(ringKeyOfSite(site as SiteKey), href)
        group.push([key, pageRank.encode({ run: runMs, score, href })])
      }
      await this.#put(this.#pages, group)
    }
    const bestSites = new BestRanks(bestKept)
    await this.#keepSites(sites, bestSites, runMs)
    await this.#removeOld(this.#pages, (value) => pageRank.decode(value).run !== runMs)
    await this.#removeOld(
      this.#sites,
      (value) => (siteRank.decode(value).points.at(-1)?.atMs ?? 0) < runMs - yearMs,
    )
    const value = best.encode({ computedMs: runMs, pages: bestPages.sorted(), sites: bestSites.sorted() })
    await this.#put(this.#facts, [[bestKey, value]])
  }

  async #keepSites(sites: ReadonlyMap<string, number>, bestSites: BestRanks, runMs: number): Promise<void> {
    let group: [Buffer, Uint8Array][] = []
    for (const [site, score] of sites) {
      bestSites.add(`http://${site}/`, score)
      const points = thinned([
        ...this.#points(site).filter(({ atMs }) => atMs < runMs),
        { atMs: runMs, score },
      ])
      group.push([siteKey(site), siteRank.encode({ site, points })])
      if (group.length < perGroup) continue
      await this.#put(this.#sites, group)
      group = []
    }
    await this.#put(this.#sites, group)
  }

  async #pagesOf(site: string, limit: number): Promise<Ranked[]> {
    const pages = new BestRanks(limit)
    const from = siteKey(site)
    const to = Buffer.concat([from, Buffer.alloc(siteBytes + 1, 0xff)])
    let looked = 0
    for (const [, value] of this.#pages.range({ from, to })) {
      const page = readableOr(() => pageRank.decode(value), undefined)
      if (page !== undefined && !this.#needs.isHidden(page.href)) pages.add(page.href, page.score)
      if (++looked % perGroup === 0) await this.#needs.breathe()
    }
    return pages.sorted()
  }

  #points(site: string): readonly RankPoint[] {
    const stored = this.#sites.get(siteKey(site))
    const known = stored && readableOr(() => siteRank.decode(stored), undefined)
    return known?.site === site ? known.points : []
  }

  #best() {
    const stored = this.#facts.get(bestKey)
    return stored && readableOr(() => best.decode(stored), undefined)
  }

  async #put(table: Table, group: readonly (readonly [Buffer, Uint8Array])[]): Promise<void> {
    if (group.length === 0) return
    await this.#needs.keyValue.transaction(() => {
      for (const [key, value] of group) table.put(key, value)
    })
    await this.#needs.breathe()
  }

  /** What cannot be read is removed, too. */
  async #removeOld(table: Table, isOld: (value: Uint8Array) => boolean): Promise<void> {
    let from: Uint8Array | undefined = Buffer.alloc(1)
    while (from !== undefined) {
      const old: Uint8Array[] = []
      let last: Uint8Array | undefined
      let looked = 0
      for (const [key, value] of table.range({ from, limit: perGroup })) {
        if (readableOr(() => isOld(value), true)) old.push(key)
        last = key
        looked++
      }
      if (old.length > 0)
        await this.#needs.keyValue.transaction(() => {
          for (const key of old) table.remove(key)
        })
      await this.#needs.breathe()
      from = looked < perGroup || last === undefined ? undefined : Buffer.concat([last, Buffer.alloc(1)])
    }
  }
}

/** Of the older half every second goes, when there are too many: what is long ago needs fewer points. */
function thinned(points: readonly RankPoint[]): readonly RankPoint[] {
  if (points.length <= pointsMax) return points
  const half = points.length >> 1
  return points.filter((_, at) => at >= half || at % 2 === 0)
}

function siteKey(site: string): Buffer {
  return Buffer.from(ringKeyToBytes(ringKeyOfSite(site as SiteKey)).subarray(0, siteBytes))
}

function pageKey(ringKey: Parameters<typeof ringKeyToBytes>[0], href: string): Buffer {
  const site = ringKeyToBytes(ringKey).subarray(0, siteBytes)
  return Buffer.concat([site, hash('sha1', href, 'buffer').subarray(0, siteBytes)])
}
