// A whole peer on a simulated machine, with every service that a real one has: ring, copies, reading, contents, sites,
// announcements, links, jobs, status. Nothing is fetched from the web: what is queued stays queued.

import { type ArchivingPeer, openArchivingPeer } from '../../src/app/fixtures/archiving-peer.ts'
import { openSharedCrawl, type SharedCrawl } from '../../src/app/network/shared-crawl.ts'
import { openSiteLeases, type SiteLeases } from '../../src/app/network/site-leases.ts'
import { noCrawlCounts } from '../../src/crawl/crawl-report.ts'
import { Frontier } from '../../src/crawl/frontier/frontier.ts'
import { politenessOff } from '../../src/crawl/politeness/politeness-rules.ts'
import { Leavers } from '../../src/network/membership/presence/leavers.ts'
import { simulatedSigner } from '../../src/network/replication/fixtures/announcing-peers.ts'
import type { KnownPeer } from '../../src/network/ring/ring.ts'
import { SiteSplitting } from '../../src/network/site-splitting/site-splitting.ts'
import type { CallFaults } from '../../src/platform/calls/call-faults.ts'
import type { KeyValue } from '../../src/platform/key-value.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { World } from '../../src/platform/world.ts'

export interface WholePeer extends ArchivingPeer {
  readonly frontier: Frontier
  readonly shared: SharedCrawl
  readonly sites: SiteLeases
}

/** Folders of the maps whose values come from others, and their tables. */
export const strangersMaps = {
  '/home/network/notices': ['notices'],
  '/home/network/outbox': ['outbox', 'taken', 'waiting', 'sent', 'jobs'],
  '/home/network/stewards': ['stewardships'],
  '/home/network/shadows': ['heads', 'entries', 'jobs'],
  '/home/network/contents': ['rows', 'unneeded'],
} as const

export async function openWholePeer(
  world: World,
  others: KnownPeer[],
  faults: CallFaults | undefined,
): Promise<WholePeer> {
  const { clock, random, compressor, keyValues } = world
  const peer = await openArchivingPeer(world, '/home', others, { ...(faults && { faults }) })
  const { services, places, store } = peer
  const frontierMap = await keyValues.open('/home/crawl/frontier')
  const frontier = new Frontier({ keyValue: frontierMap, clock, random }, { politeness: politenessOff })
  const maps: KeyValue[] = [frontierMap]
  const open = async (folder: string): Promise<KeyValue> => {
    const map = await keyValues.open(folder, { hasJournal: true })
    maps.push(map)
    return map
  }
  const signer = simulatedSigner(places.self)
  const common = { clock, random, log: silentLog, signer, services, places, frontier, store }
  const sites = openSiteLeases({
    ...common,
    calls: services.service('sites'),
    leases: await open('/home/network/stewards'),
    replicas: await open('/home/network/shadows'),
  })
  const shared = await openSharedCrawl(
    {
      ...common,
      compressor,
      keyValues,
      crawl: { joinNetwork: () => {} },
      sites,
      local: {
        list: () => [],
        countsOf: () => noCrawlCounts(),
        log: async function* () {},
        trouble: () => undefined,
      },
      wake: () => {},
    },
    { folder: '/home/network', jobs: { roundMs: 500 }, announcements: { compareMs: 5_000 } },
  )
  const splitting = new SiteSplitting(
    { ...common, announcements: shared.announcements, splits: places.splits, sums: peer.copies.sums },
    { entriesMax: 20, everyMs: 5_000, copies: 3 },
  )
  splitting.start()
  const leavers = new Leavers({ ...common, announcements: shared.announcements })
  await leavers.begin()
  services.service('status').answer(async () => Buffer.from(JSON.stringify(peer.copies.status())))
  return {
    ...peer,
    frontier,
    shared,
    sites,
    close: async () => {
      leavers.close()
      await splitting.close()
      await shared.close()
      await sites.close()
      await peer.close()
      for (const map of maps) await map.close()
    },
  }
}
