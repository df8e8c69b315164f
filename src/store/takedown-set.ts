// The targets of takedowns in memory: tells whether a URL is among them in a few lookups, however many there are.

import { hasSitesUnder, siteOf } from '../record/site.ts'
import { isWithin, type SurtRange, surtDomainRanges, surtPrefixRange } from '../record/surt-range.ts'
import { parseUrl, tryParseUrl } from '../record/url.ts'
import type { TakedownTarget } from './takedown-record.ts'

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

  hides(surt: string, site: string): boolean {
    if (this.isEmpty) return false
    if (this.#urls.has(surt) || this.#sites.has(site)) return true
    for (const length of this.#prefixLengths) if (this.#prefixes.has(surt.slice(0, length))) return true
    for (const ranges of this.#domains.values()) if (isWithin(ranges, surt)) return true
    return false
  }

  hidesUrl(url: string): boolean {
    const parsed = this.isEmpty ? null : tryParseUrl(url)
    return parsed !== null && this.hides(parsed.surt, parsed.site)
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
