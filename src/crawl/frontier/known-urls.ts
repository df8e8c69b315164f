// Known URLs: the seen test. A filter per job and site in memory, before the exact set on disk.
//
// Identity is the normalised href, not the SURT: a server may tell `/A` from `/a`, http from https and `www.` from none,
// and each would be a page lost if we did not. (Session ids are the one exception: see traps.)
// Invariants: no known URL is ever called unknown. An unknown one is called known only by an accident of 96 bits.
//
// Filters are kept within filterBytesMax, the site used last longest ago dropped first, and are filled again from the
// exact set, some entries at a time so that nobody waits; until then its URLs are looked up on disk.

import type { Url } from '../../record/url.ts'
import { KnownFilter } from './known-filter.ts'
import { RecentHashes } from './recent-hashes.ts'
import { afterPrefix, hashedKey, knownPrefix, sitePrefix } from './site-keys.ts'
import { UrlHash } from './url-hash.ts'
import type { BufferedTable } from './write-buffer.ts'

export interface KnownUrlsLimits {
  filterBytesMax: number
  /** What a filter without bits costs counts as well: many sites have few URLs. */
  recentMax: number
}

export const knownUrlsLimits: KnownUrlsLimits = { filterBytesMax: 48e6, recentMax: 2_000_000 }

const filterOverheadBytes = 400
/** Entries read at a time to fill a filter: about a millisecond. */
const fillEntries = 1_000

interface SiteFilter {
  readonly site: Buffer
  readonly job: number
  readonly filter: KnownFilter
  /** Where filling goes on; undefined once the filter has all. */
  fillFrom: Buffer | undefined
  bytes: number
}

export class KnownUrls {
  readonly #table: BufferedTable
  readonly #limits: KnownUrlsLimits
  readonly #recent: RecentHashes
  /** By job and site; the last used last. */
  readonly #filters = new Map<string, SiteFilter>()
  readonly #hash = new UrlHash()
  readonly #entryHash = new UrlHash()
  #filterBytes = 0
  #last: SiteFilter | undefined
  #lastName = ''

  constructor(table: BufferedTable, limits: KnownUrlsLimits = knownUrlsLimits) {
    this.#table = table
    this.#limits = limits
    this.#recent = new RecentHashes(limits.recentMax)
  }

  has(url: Url, job: number): boolean {
    return this.hasText(url.href, url, job)
  }

  /** The same for another text that stands for the URL, kept with the URL's site. */
  hasText(text: string, url: Url, job: number): boolean {
    const hash = this.#hash.of(text, job)
    if (this.#recent.has(hash)) return true
    const filter = this.#filterOf(url, job)
    if (filter.fillFrom === undefined && !filter.filter.mayHave(hash)) return false
    if (this.#table.get(hashedKey(filter.site, 'known', job, hash)) === undefined) return false
    this.#recent.add(hash)
    return true
  }

  add(url: Url, job: number, value: Uint8Array): void {
    this.addText(url.href, url, job, value)
  }

  addText(text: string, url: Url, job: number, value: Uint8Array): void {
    const hash = this.#hash.of(text, job)
    const filter = this.#filterOf(url, job)
    filter.filter.add(hash)
    this.#recent.add(hash)
    this.#table.put(hashedKey(filter.site, 'known', job, hash), value)
    this.#recount(filter)
  }

  get(url: Url, job: number): Uint8Array | undefined {
    return this.#table.get(hashedKey(sitePrefix(url), 'known', job, this.#hash.of(url.href, job)))
  }

  /** Fills a part of the filters that lack entries. True when some still do. */
  fillSome(): boolean {
    for (const filter of this.#filters.values()) {
      if (filter.fillFrom === undefined) continue
      this.#fill(filter)
      return true
    }
    return false
  }

  /** Entries were put past it: all filters are filled anew when needed. */
  forgetFilters(): void {
    this.#filters.clear()
    this.#filterBytes = 0
    this.#last = undefined
    this.#lastName = ''
  }

  get filterBytes(): number {
    return this.#filterBytes
  }

  #filterOf(url: Url, job: number): SiteFilter {
    const name = `${job} ${url.site}`
    if (name === this.#lastName) return this.#last!
    let filter = this.#filters.get(name)
    if (filter === undefined) {
      const site = sitePrefix(url)
      filter = {
        site,
        job,
        filter: new KnownFilter(),
        fillFrom: knownPrefix(site, job),
        bytes: filterOverheadBytes,
      }
      this.#filterBytes += filter.bytes
      this.#fill(filter)
    } else this.#filters.delete(name)
    this.#filters.set(name, filter)
    this.#last = filter
    this.#lastName = name
    this.#drop()
    return filter
  }

  #fill(filter: SiteFilter): void {
    const prefix = knownPrefix(filter.site, filter.job)
    let last: Buffer | undefined
    let count = 0
    for (const [key] of this.#table.range(filter.fillFrom!, afterPrefix(prefix), fillEntries)) {
      filter.filter.add(this.#entryHash.readFrom(key, prefix.length))
      last = key
      count++
    }
    filter.fillFrom = count < fillEntries ? undefined : Buffer.concat([last!, Buffer.of(0)])
    this.#recount(filter)
  }

  #recount(filter: SiteFilter): void {
    const bytes = filter.filter.bytes + filterOverheadBytes
    this.#filterBytes += bytes - filter.bytes
    filter.bytes = bytes
  }

  #drop(): void {
    for (const [name, filter] of this.#filters) {
      if (this.#filterBytes <= this.#limits.filterBytesMax || filter === this.#last) return
      this.#filters.delete(name)
      this.#filterBytes -= filter.bytes
    }
  }
}
