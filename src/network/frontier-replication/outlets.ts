// Outlets: one for each member of the sites that this peer tends.

import type { PeerId } from '../../platform/network.ts'
import type { Tenure } from './course.ts'
import { Outlet, type OutletNeeds } from './outlet.ts'
import type { SiteChanges, SiteId } from './site-frontier.ts'
import type { SiteTerms } from './site-terms.ts'
import type { Stage } from './stage.ts'

export class Outlets {
  readonly #needs: OutletNeeds
  readonly #terms: SiteTerms
  readonly #byPeer = new Map<PeerId, Outlet>()
  /** Who is told of a site. */
  readonly #bySite = new Map<SiteId, Set<PeerId>>()

  constructor(needs: OutletNeeds, terms: SiteTerms) {
    this.#needs = needs
    this.#terms = terms
  }

  /** These are told of the site from now on, nobody else. Who was not told before may have it as it was at `after`. */
  aim(site: SiteId, members: readonly PeerId[], tenure: Tenure, after: Stage): void {
    const before = this.#bySite.get(site) ?? new Set()
    for (const peer of before) if (!members.includes(peer)) this.#byPeer.get(peer)?.end(site)
    for (const peer of members) {
      if (before.has(peer)) this.#outlet(peer).touch(site, tenure)
      else this.#outlet(peer).begin(site, tenure, after)
    }
    this.#bySite.set(site, new Set(members))
  }

  end(site: SiteId): void {
    for (const peer of this.#bySite.get(site) ?? []) this.#byPeer.get(peer)?.end(site)
    this.#bySite.delete(site)
    for (const [peer, outlet] of this.#byPeer) {
      if (!outlet.isIdle) continue
      outlet.close()
      this.#byPeer.delete(peer)
    }
  }

  note(changes: SiteChanges): void {
    for (const peer of this.#bySite.get(changes.site) ?? []) this.#byPeer.get(peer)?.note(changes)
  }

  touch(site: SiteId, tenure: Tenure): void {
    for (const peer of this.#bySite.get(site) ?? []) this.#byPeer.get(peer)?.touch(site, tenure)
  }

  /** Somebody waits until the members of these have been told. */
  hurry(sites: Iterable<SiteId>): void {
    const peers = new Set<PeerId>()
    for (const site of sites) for (const peer of this.#bySite.get(site) ?? []) peers.add(peer)
    for (const peer of peers) this.#byPeer.get(peer)?.hurry()
  }

  /** The same for a site that is taken over: that is rare, and done one site after the other by some. */
  rush(site: SiteId): void {
    for (const peer of this.#bySite.get(site) ?? []) this.#byPeer.get(peer)?.rush()
  }

  /** It answers, and is told of changes as they come. */
  isInStep(peer: PeerId, site: SiteId): boolean {
    const outlet = this.#byPeer.get(peer)
    const course = outlet?.course(site)
    if (outlet === undefined || outlet.isSilent || course === undefined) return false
    return !course.isCopying && !course.isPutOff
  }

  /** What it has of the site is known to be whole. */
  hasAnswered(peer: PeerId, site: SiteId): boolean {
    return this.#byPeer.get(peer)?.course(site)?.acked !== undefined
  }

  get waiting(): number {
    let waiting = 0
    for (const outlet of this.#byPeer.values()) waiting += outlet.waiting
    return waiting
  }

  close(): void {
    for (const outlet of this.#byPeer.values()) outlet.close()
  }

  #outlet(peer: PeerId): Outlet {
    let outlet = this.#byPeer.get(peer)
    if (outlet === undefined) this.#byPeer.set(peer, (outlet = new Outlet(this.#needs, peer, this.#terms)))
    return outlet
  }
}
