// Crawling on a network: leases of sites, jobs, links, announcements, split sites and departed peers, opened and closed together
// for a home's crawler.

import { join } from 'node:path'
import type { PeerJobs } from '../../crawl/jobs/peer-jobs.ts'
import { announcementsDefaults } from '../../network/announcements/announcements.ts'
import { Leavers } from '../../network/membership/presence/leavers.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { SitePlacements } from '../../network/site-placement/site-placements.ts'
import { SiteSplitting } from '../../network/site-splitting/site-splitting.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import type { KeyValues } from '../../platform/storage/key-value.ts'
import type { Store } from '../../store/store.ts'
import type { Crawler } from '../crawl/crawler.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { OpenCaptureCopies } from './capture-copies.ts'
import { openSharedCrawl, type SharedCrawl, type SharedCrawlNeeds } from './shared-crawl.ts'
import { openSiteLeases, type SiteLeases } from './site-leases.ts'

export interface NetworkCrawlNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly compressor: Compressor
  readonly keyValues: KeyValues
  readonly log: Log
  readonly services: RingPeer['services']
  readonly signer: RingPeer['signer']
  readonly members: RingPeer['members']
  /** Of members; none in simulations that have no memberships. */
  readonly roles?: SharedCrawlNeeds['roles']
  readonly places: RingPlaces
  /** How much this peer gives, in positions. */
  readonly share?: number | undefined
  readonly store: Store
  readonly sums: OpenCaptureCopies['sums']
  readonly crawler: Crawler
  readonly jobs: PeerJobs
  /** Something was queued, or goes on. */
  wake(): void
}

export interface NetworkCrawl {
  readonly sites: SiteLeases
  readonly shared: SharedCrawl
  readonly leavers: Leavers
  readonly placements: SitePlacements
  /** When nothing is crawled any more, and before the ring is left. Others may go on asking who crawls what: `closeMaps` is for
   * when they do not. */
  close(): Promise<void>
  closeMaps(): Promise<void>
}

/** How often to look whether sites are too large. */
const splitLookMs = 10_000

/** Of the share, for what others tell: the map takes twice as much on the disk. */
const announcementsPart = 1 / 32

/** Before anything is crawled. `siteCaptures`: a site with more is split. */
export async function openNetworkCrawl(
  needs: NetworkCrawlNeeds,
  {
    folder,
    siteCaptures,
    copies,
    shareBytes,
  }: { folder: string; siteCaptures: number; copies: number; shareBytes: number },
): Promise<NetworkCrawl> {
  const { places, services, keyValues } = needs
  const { frontier, crawl } = needs.crawler
  const leases = await keyValues.open(join(folder, 'stewards'), { hasJournal: true })
  const replicas = await keyValues.open(join(folder, 'shadows'), { hasJournal: true })
  const calls = services.service('sites')
  const placements = new SitePlacements()
  const sites = openSiteLeases({ ...needs, frontier, calls, leases, replicas, choice: placements })
  const shared = await openSharedCrawl(
    { ...needs, frontier, crawl, sites, local: needs.jobs },
    {
      folder,
      announcements: {
        storeBytesMax: Math.min(announcementsDefaults.storeBytesMax, announcementsPart * shareBytes),
      },
    },
  )
  placements.open({
    authority: shared.roles?.authority,
    self: places.self,
    announcements: shared.announcements,
    membersOf: async (site) => (await places.lookup(site)).replicas.map(({ peer }) => peer),
  })
  const splitting = new SiteSplitting(
    { ...needs, announcements: shared.announcements, splits: places.splits },
    { entriesMax: siteCaptures, everyMs: splitLookMs, copies },
  )
  splitting.start()
  const leavers = new Leavers({
    announcements: shared.announcements,
    places,
    clock: needs.clock,
    log: needs.log,
    authority: shared.roles?.authority,
  })
  await leavers.begin()
  return {
    sites,
    shared,
    leavers,
    placements,
    close: async () => {
      leavers.close()
      placements.close()
      await splitting.close()
      await shared.close()
      await sites.close()
    },
    closeMaps: async () => {
      await Promise.all([leases.close(), replicas.close()])
    },
  }
}
