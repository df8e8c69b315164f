// Leased sites: all sites that this peer crawls, wants to crawl, or has to give up.

import { LeasedSite } from './leased-site.ts'
import type { SiteId } from './site-frontier.ts'

export class LeasedSites {
  readonly #bySite = new Map<SiteId, LeasedSite>()

  get(site: SiteId): LeasedSite | undefined {
    return this.#bySite.get(site)
  }

  get all(): LeasedSite[] {
    return [...this.#bySite.values()]
  }

  add(site: SiteId): LeasedSite {
    const leased = new LeasedSite(site)
    this.#bySite.set(site, leased)
    return leased
  }

  remove({ site }: LeasedSite): void {
    this.#bySite.delete(site)
  }
}
