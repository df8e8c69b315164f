// Site placements: which peer is to crawl a site instead of the one that the ring names, as the archive's keepers said last.
//
// A placement holds on whichever peer owns the site, after restarts, too; it has an effect while the peer that it names is one of the
// site's members and there. Bounded: the first `placementsMax` count.

import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Announcement } from '../announcements/announcement.ts'
import type { Announcements } from '../announcements/announcements.ts'
import { everyMember, type RoleAuthority } from '../roles/role-authority.ts'
import type { LeaderChoice } from './given-sites.ts'
import { peerOf, placementKind, placementValue, siteUrl } from './placement-announcement.ts'

interface Needs {
  readonly self: PeerId
  readonly announcements: Announcements
  /** Who keeps the site by the ring, its owner first. */
  membersOf(site: RingKey): Promise<readonly PeerId[]>
  /** Curators and administrators move sites; every member, where it is not given. */
  readonly authority?: Pick<RoleAuthority, 'isNow' | 'checkNow' | 'onChange'> | undefined
}

export interface Placement {
  readonly site: string
  readonly peer: PeerId
  readonly setBy: PeerId
  readonly setAtMs: number
}

const placementsMax = 10_000

class PlacementRefused extends PolyhistorError {
  constructor(reason: string) {
    super('placement-refused', `The site was not moved: ${reason}.`)
  }
}

export class SitePlacements implements LeaderChoice {
  readonly #placed = new Map<RingKey, Placement>()
  readonly #listeners = new Set<() => void>()
  #needs: Needs | undefined
  #stop: (() => void) | undefined

  /** Until then there are none: who crawls what is asked before announcements are read. */
  open(needs: Needs): void {
    this.#needs = needs
    this.#stop = needs.announcements.follow(placementKind.kind, (announcement) => this.#heard(announcement))
  }

  close(): void {
    this.#stop?.()
  }

  sites(): Iterable<RingKey> {
    return this.#placed.keys()
  }

  leaderOf(site: RingKey, members: readonly PeerId[]): PeerId | undefined {
    const peer = this.#placed.get(site)?.peer
    return peer !== undefined && members.includes(peer) ? peer : undefined
  }

  get(site: string): Placement | undefined {
    const url = siteUrl(site)
    return url && this.#placed.get(url.ringKey)
  }

  /** Resolves when it holds here and is sure to be heard of; undefined: as the ring has it. Rejects when it would have no effect. */
  async set(site: string, peer: PeerId | undefined): Promise<void> {
    const url = siteUrl(site)
    if (url === undefined) throw new PlacementRefused(`${site} is not the name of a site`)
    const { announcements, membersOf, authority = everyMember } = this.#needs!
    authority.checkNow('move sites', 'curator')
    const members = peer === undefined ? [] : await membersOf(url.ringKey)
    if (peer !== undefined && !members.includes(peer))
      throw new PlacementRefused(
        `${peer} keeps nothing of it. Those who do, and can crawl it, are ${members.join(', ')}`,
      )
    await announcements.put(placementKind.kind, site, placementValue(peer))
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whatever counts now: something later may have been said since. */
  #heard({ name: site }: Announcement): void {
    const { announcements, authority = everyMember } = this.#needs!
    const latest = announcements.get(placementKind.kind, site)
    const url = siteUrl(site)
    if (latest === undefined || url === undefined || !authority.isNow(latest.peer, 'curator')) return
    const peer = peerOf(latest)
    if (peer === undefined) this.#placed.delete(url.ringKey)
    else if (this.#placed.has(url.ringKey) || this.#placed.size < placementsMax)
      this.#placed.set(url.ringKey, { site, peer, setBy: latest.peer, setAtMs: latest.version })
    for (const listener of [...this.#listeners]) listener()
  }
}
