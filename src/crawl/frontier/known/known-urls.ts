// Known URLs: the seen test. A filter per job and site in memory, before the exact set on disk (known-set.ts).
//
// Identity is the normalised href, not the SURT: a server may tell `/A` from `/a`, http from https and `www.` from none,
// and each would be a page lost if we did not. (Session ids are the one exception: see traps.)
// Invariants: no known URL is ever called unknown. An unknown one is called known only by an accident of 64 bits and more.
//
// Filters are kept within filterBytesMax, the site used last longest ago dropped first, and are filled again from the
// exact set, some buckets at a time so that nobody waits; until then its URLs are looked up on disk.

import type { Url } from '../../../model/url/url.ts'
import { sitePrefix } from '../sites/site-keys.ts'
import type { BufferedTable } from '../write-buffer.ts'
import { KnownFilter } from './known-filter.ts'
import { KnownSet } from './known-set.ts'
import { RecentHashes } from './recent-hashes.ts'
import { UrlHash } from './url-hash.ts'

export interface KnownUrlsLimits {
  readonly filterBytesMax: number
  /** URLs that are known without a look on disk; 8 bytes each. */
  readonly recentMax: number
  /** URLs taken into the filters since the start that count as many. */
  readonly manyMin: number
}

export const knownUrlsLimits: KnownUrlsLimits = {
  filterBytesMax: 32e6,
  recentMax: 2_000_000,
  manyMin: 250_000,
}

/** Whose known URLs: a job's. */
interface Knower {
  readonly number: number
  /** The same for the job everywhere, so that what is known can be handed over. */
  readonly hashSeed: number
  /** The length of the value that each of its URLs has. */
  readonly knownValueBytes: number
}

/** What a site costs beside its bits. */
const overheadBytes = 800
/** Buckets read at a time to fill a filter: about a millisecond. */
const fillBuckets = 40
/** Hosts of which the site is remembered. */
const hostsMax = 20_000

interface SiteKnown {
  readonly set: KnownSet
  readonly filter: KnownFilter
  /** The bucket where filling goes on; undefined once the filter has all. */
  fillFrom: number | undefined
  bytes: number
}

export class KnownUrls {
  readonly #table: BufferedTable
  readonly #limits: KnownUrlsLimits
  #recent: RecentHashes
  /** By job and site; in the order of use, as far as hosts that are new to us tell it. */
  readonly #sites = new Map<string, SiteKnown>()
  /** The same by job and host, so that most tests need not know the site. */
  readonly #byHost = new Map<number, Map<string, SiteKnown>>()
  readonly #hash = new UrlHash()
  readonly #setHash = new UrlHash()
  readonly #whenMany: () => void
  #filterBytes = 0
  #filtered = 0
  #lastJob = -1
  #lastByHost = new Map<string, SiteKnown>()

  /** `whenMany` is called once: there are so many that others should do with less memory. */
  constructor(
    table: BufferedTable,
    limits: KnownUrlsLimits = knownUrlsLimits,
    whenMany: () => void = () => {},
  ) {
    this.#table = table
    this.#limits = limits
    this.#whenMany = whenMany
    this.#recent = new RecentHashes(limits.recentMax)
  }

  has(url: Url, knower: Knower): boolean {
    return this.hasText(url.href, url, knower)
  }

  /** The same for another text that stands for the URL, kept with the URL's site. */
  hasText(text: string, url: Url, knower: Knower): boolean {
    const hash = this.#hash.of(text, knower.hashSeed)
    if (this.#recent.has(hash)) return true
    const site = this.#siteOf(url, knower)
    const { set, filter } = site
    // Who is asked about needs its filter: each test fills a part of it.
    if (site.fillFrom !== undefined) this.#fill(site)
    if (site.fillFrom === undefined && !filter.mayHave(hash)) return false
    if (!set.has(hash)) return false
    this.#recent.add(hash)
    return true
  }

  /** Whether it is known and was met lately, by its href alone: false says nothing. */
  isRecent(href: string, knower: Knower): boolean {
    return this.#recent.has(this.#hash.of(href, knower.hashSeed))
  }

  /** What was put with it, a byte a character; undefined of an unknown one. */
  value(url: Url, knower: Knower): string | undefined {
    const { set } = this.#siteOf(url, knower)
    return set.get(this.#hash.of(url.href, knower.hashSeed))
  }

  add(url: Url, knower: Knower, value = ''): void {
    this.addText(url.href, url, knower, value)
  }

  addText(text: string, url: Url, knower: Knower, value = ''): void {
    const site = this.#siteOf(url, knower)
    const hash = this.#hash.of(text, knower.hashSeed)
    this.#takeIn(site, hash)
    site.set.put(hash, value)
    this.#recount(site)
  }

  /** Entries of this site were put past it, or removed: they are read anew when needed. */
  forgetSite(name: string): void {
    for (const [key, site] of this.#sites) {
      if (key.slice(key.indexOf(' ') + 1) !== name) continue
      this.#sites.delete(key)
      this.#filterBytes -= site.bytes
    }
    this.#forgetHosts()
  }

  /** What was known may be so no more. */
  forgetRecent(): void {
    this.#recent = new RecentHashes(this.#limits.recentMax)
  }

  #siteOf(url: Url, knower: Knower): SiteKnown {
    // The host tells as much as the site, and needs no look at the public suffix list.
    const byHost = knower.number === this.#lastJob ? this.#lastByHost : this.#hostsOf(knower.number)
    return byHost.get(url.host) ?? this.#useHost(url, knower, byHost)
  }

  #hostsOf(job: number): Map<string, SiteKnown> {
    let hosts = this.#byHost.get(job)
    if (hosts === undefined) this.#byHost.set(job, (hosts = new Map()))
    this.#lastJob = job
    this.#lastByHost = hosts
    return hosts
  }

  #useHost(url: Url, knower: Knower, byHost: Map<string, SiteKnown>): SiteKnown {
    const site = this.#useSite(url, knower)
    if (byHost.size >= hostsMax) byHost.clear()
    byHost.set(url.host, site)
    if (this.#filterBytes > this.#limits.filterBytesMax) this.#drop(site)
    return site
  }

  #useSite(url: Url, knower: Knower): SiteKnown {
    const name = `${knower.number} ${url.site}`
    let site = this.#sites.get(name)
    if (site === undefined) {
      const set = new KnownSet(this.#table, sitePrefix(url), knower.number, knower.knownValueBytes)
      site = { set, filter: new KnownFilter(), fillFrom: 0, bytes: 0 }
      this.#fill(site)
    } else this.#sites.delete(name)
    this.#sites.set(name, site)
    return site
  }

  #fill(site: SiteKnown): void {
    const { set } = site
    const end = site.fillFrom! + fillBuckets
    const hash = this.#setHash
    const take = (): void => this.#takeIn(site, hash)
    for (let bucket = site.fillFrom!; bucket < Math.min(end, set.buckets); bucket++)
      set.eachIn(bucket, hash, take)
    // A bucket that is split meanwhile gives URLs to a later one only, so that none is missed.
    site.fillFrom = end < set.buckets ? end : undefined
    this.#recount(site)
  }

  #takeIn({ filter }: SiteKnown, hash: UrlHash): void {
    filter.add(hash)
    this.#recent.add(hash)
    if (++this.#filtered === this.#limits.manyMin) this.#whenMany()
  }

  #recount(site: SiteKnown): void {
    const bytes = site.filter.bytes + overheadBytes
    this.#filterBytes += bytes - site.bytes
    site.bytes = bytes
  }

  #drop(kept: SiteKnown): void {
    this.#forgetHosts()
    for (const [name, site] of this.#sites) {
      if (this.#filterBytes <= this.#limits.filterBytesMax || site === kept) return
      this.#sites.delete(name)
      this.#filterBytes -= site.bytes
    }
  }

  #forgetHosts(): void {
    this.#byHost.clear()
    this.#lastByHost.clear()
    this.#lastJob = -1
  }
}
