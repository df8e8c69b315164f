// Tended sites: all sites that this peer crawls, wants to, or has to let go.

import type { SiteId } from './site-frontier.ts'
import { TendedSite } from './tended-site.ts'

/** Of a ring key, by which frontiers know sites. */
const prefixDigits = 16

export class TendedSites {
  readonly #bySite = new Map<SiteId, TendedSite>()
  readonly #byPrefix = new Map<string, TendedSite>()

  get(site: SiteId): TendedSite | undefined {
    return this.#bySite.get(site)
  }

  ofPrefix(site: Buffer): TendedSite | undefined {
    return this.#byPrefix.get(site.toString('hex'))
  }

  get all(): TendedSite[] {
    return [...this.#bySite.values()]
  }

  add(site: SiteId): TendedSite {
    const tended = new TendedSite(site)
    this.#bySite.set(site, tended)
    this.#byPrefix.set(site.slice(0, prefixDigits), tended)
    return tended
  }

  remove({ site }: TendedSite): void {
    this.#bySite.delete(site)
    this.#byPrefix.delete(site.slice(0, prefixDigits))
  }
}
