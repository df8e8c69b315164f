// Site loads: how much each site gives this frontier to do, in pages of ten minutes.
//
// What was fetched of late says it, or what waits where that is more: a peer with more to do than it can do fetches no more than
// others who have less. Of what waits, no more counts than a polite crawl gets from a host in that time, however long its queue is.
// Sites are known by the first bytes of their ring keys, as hex digits.

import { LruCache } from '../../../model/lru-cache.ts'

const windowMs = 600_000
/** Of hosts that need not be left alone between pages: they take time to answer. */
const delayMsMin = 100
/** Less than this is forgotten. */
const fetchedMin = 0.05
const sitesMax = 20_000

interface Fetched {
  pages: number
  atMs: number
}

export class SiteLoads {
  /** Nobody asks a peer without a network: what is not asked for must not grow with the web. */
  readonly #fetched = new LruCache<string, Fetched>({ max: sitesMax })

  /** A page of the site was fetched. */
  note(site: Buffer, nowMs: number): void {
    const name = site.toString('hex')
    const known = this.#fetched.get(name)
    if (known === undefined) this.#fetched.set(name, { pages: 1, atMs: nowMs })
    else {
      known.pages = 1 + pagesAt(known, nowMs)
      known.atMs = nowMs
    }
  }

  /** `queues`: what waits at each host, and how long the host is left alone after each page. */
  loads(
    queues: Iterable<{ readonly site: Buffer; readonly pending: number; readonly delayMs: number }>,
    nowMs: number,
  ): Map<string, number> {
    const loads = new Map<string, number>()
    for (const { site, pending, delayMs } of queues) {
      const name = site.toString('hex')
      const waiting = Math.min(pending, windowMs / Math.max(delayMs, delayMsMin))
      loads.set(name, (loads.get(name) ?? 0) + waiting)
    }
    for (const [name, fetched] of this.#fetched.entries()) {
      const pages = pagesAt(fetched, nowMs)
      if (pages < fetchedMin) this.#fetched.delete(name)
      loads.set(name, Math.max(pages, loads.get(name) ?? 0))
    }
    return loads
  }
}

/** What a steady crawl fetches in the window, told from how close its pages followed each other; older ones count less and less. */
function pagesAt({ pages, atMs }: Fetched, nowMs: number): number {
  return pages * Math.exp(-Math.max(0, nowMs - atMs) / windowMs)
}
