// Watch index: which watches an event is for, found by its URL without looking at every watch.
//
// URLs are compared by SURT, as the archive finds them: http and https, with and without www, are one page. Of prefixes those lengths are
// tried that some watch of the same host has; so ten thousand watches cost an event as much as ten.

import { surtOf } from '../../model/url/surt.ts'
import { surtPrefixRange } from '../../model/url/surt-range.ts'
import type { WatchTarget } from './page-watch.ts'

export class WatchIndex {
  /** By the SURT of a page, the beginning of SURTs, and the site. */
  readonly #pages = new Map<string, Set<string>>()
  readonly #prefixes = new Map<string, Set<string>>()
  readonly #sites = new Map<string, Set<string>>()
  /** By what stands before the path: how many prefixes have each length. */
  readonly #lengths = new Map<string, Map<number, number>>()

  add(id: string, target: WatchTarget): void {
    const [ids, key] = this.#placeOf(target)
    const found = ids.get(key)
    if (found?.has(id)) return
    if (found === undefined) ids.set(key, new Set([id]))
    else found.add(id)
    if (target.kind === 'prefix') this.#count(key, 1)
  }

  remove(id: string, target: WatchTarget): void {
    const [ids, key] = this.#placeOf(target)
    const found = ids.get(key)
    if (!found?.delete(id)) return
    if (found.size === 0) ids.delete(key)
    if (target.kind === 'prefix') this.#count(key, -1)
  }

  /** Ids of watches, each once. */
  matching({ url, site }: { readonly url: string; readonly site: string }): string[] {
    if (this.#pages.size + this.#prefixes.size + this.#sites.size === 0) return []
    const surt = surtOf(url)
    const found = new Set([...(this.#pages.get(surt) ?? []), ...(this.#sites.get(site) ?? [])])
    for (const length of this.#lengths.get(hostOf(surt))?.keys() ?? []) {
      for (const id of this.#prefixes.get(surt.slice(0, length)) ?? []) found.add(id)
      // The page of `/news/` has no slash at its end.
      if (surt.length + 1 === length) for (const id of this.#prefixes.get(`${surt}/`) ?? []) found.add(id)
    }
    return [...found]
  }

  #placeOf(target: WatchTarget): [Map<string, Set<string>>, string] {
    switch (target.kind) {
      case 'url':
        return [this.#pages, surtOf(target.url)]
      case 'prefix':
        return [this.#prefixes, surtPrefixRange(target.url).from]
      case 'site':
        return [this.#sites, target.site]
    }
  }

  #count(prefix: string, by: 1 | -1): void {
    const host = hostOf(prefix)
    const lengths = this.#lengths.get(host) ?? new Map<number, number>()
    const count = (lengths.get(prefix.length) ?? 0) + by
    if (count > 0) lengths.set(prefix.length, count)
    else lengths.delete(prefix.length)
    if (lengths.size > 0) this.#lengths.set(host, lengths)
    else this.#lengths.delete(host)
  }
}

function hostOf(surt: string): string {
  const end = surt.indexOf(')')
  return end === -1 ? surt : surt.slice(0, end)
}

/** Whether a URL is one of a target's. */
export function isOfTarget(target: WatchTarget, { url, site }: { url: string; site: string }): boolean {
  const index = new WatchIndex()
  index.add('', target)
  return index.matching({ url, site }).length > 0
}
