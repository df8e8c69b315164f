// The targets of takedowns in memory: tells whether a URL is among them in a few lookups, however many there are.
//
// The answer to a POST is filed under its URL with what was sent (record/request-query.ts): whoever takes down the URL means it too.

import { fetchedUrl } from '../../formats/http/request-query.ts'
import { urlOfTarget } from '../../formats/warc/page-views.ts'
import { hasSitesUnder, siteOf } from '../../model/url/site.ts'
import { isWithin, type SurtRange, surtDomainRanges, surtPrefixRange } from '../../model/url/surt-range.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { TakedownTarget } from './takedown-record.ts'

/** What a URL is looked up by. */
export type LookedUpUrl = Pick<Url, 'href' | 'surt' | 'site'>

export class TakedownSet {
  readonly #urls = new Set<string>()
  readonly #prefixes = new Set<string>()
  readonly #prefixLengths = new Set<number>()
  readonly #sites = new Set<string>()
  /** Names with many sites under them: few, so they are looked at one by one. */
  readonly #domains = new Map<string, readonly SurtRange[]>()

  get isEmpty(): boolean {
    return this.#urls.size + this.#prefixes.size + this.#sites.size + this.#domains.size === 0
  }

  hides(url: LookedUpUrl): boolean {
    if (this.isEmpty) return false
    if (this.#sites.has(url.site) || this.#has(url.surt)) return true
    const fetched = fetchedUrl(url.href)
    return fetched !== url.href && this.#has(parseUrl(fetched).surt)
  }

  hidesUrl(url: string): boolean {
    const parsed = this.isEmpty ? null : urlOfTarget(url)
    return parsed !== null && this.hides(parsed)
  }

  #has(surt: string): boolean {
    if (this.#urls.has(surt)) return true
    for (const length of this.#prefixLengths) if (this.#prefixes.has(surt.slice(0, length))) return true
    for (const ranges of this.#domains.values()) if (isWithin(ranges, surt)) return true
    return false
  }

  add(target: TakedownTarget): void {
    switch (target.kind) {
      case 'url':
        this.#urls.add(parseUrl(target.url).surt)
        break
      case 'prefix': {
        const { from } = surtPrefixRange(target.url)
        this.#prefixes.add(from)
        this.#prefixLengths.add(from.length)
        break
      }
      case 'site':
        if (hasSitesUnder(target.site)) this.#domains.set(target.site, surtDomainRanges(target.site))
        else this.#sites.add(siteOf(target.site))
    }
  }

  /** Exactly these from now on: one may be hidden by several. */
  replace(targets: Iterable<TakedownTarget>): void {
    for (const set of [this.#urls, this.#prefixes, this.#prefixLengths, this.#sites, this.#domains])
      set.clear()
    for (const target of targets) this.add(target)
  }
}
