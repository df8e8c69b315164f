// Leased sites: all sites that this peer crawls, wants to crawl, or has to give up.

import { LeasedSite } from './leased-site.ts'
import type { SiteId } from './site-frontier.ts'

/** Of a ring key, by which frontiers know sites. */
const prefixDigits = 16

export class LeasedSites {
  readonly #bySite = new Map<SiteId, LeasedSite>()
  readonly #byPrefix = new Map<string, LeasedSite>()

  get(site: SiteId): LeasedSite | undefined {
    return this.#bySite.get(site)
  }

  ofPrefix(site: Buffer): LeasedSite | undefined {
    return this.#byPrefix.get(site.toString('hex'))
  }

  get all(): LeasedSite[] {
    return [...this.#bySite.values()]
  }

  add(site: SiteId): LeasedSite {
    const leased = new LeasedSite(site)
    this.#bySite.set(site, leased)
    this.#byPrefix.set(site.slice(0, prefixDigits), leased)
    return leased
  }

  remove({ site }: LeasedSite): void {
    this.#bySite.delete(site)
    this.#byPrefix.delete(site.slice(0, prefixDigits))
  }
}
