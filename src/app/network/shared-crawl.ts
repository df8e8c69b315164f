// Shared crawl: announcements, link delivery, jobs, takedowns and visit rules of one peer of a network, opened and closed
// together.

import { join } from 'node:path'
import type { Crawl } from '../../crawl/crawl.ts'
import type { Frontier } from '../../crawl/frontier/frontier.ts'
import type { AnnouncementSigner } from '../../network/announcements/announcement.ts'
import { Announcements, type AnnouncementsOptions } from '../../network/announcements/announcements.ts'
import {
  NetworkJobs,
  type NetworkJobsNeeds,
  type NetworkJobsOptions,
} from '../../network/jobs/network-jobs.ts'
import { NetworkVisits } from '../../network/jobs/network-visits.ts'
import type { ExchangeOptions, ExchangeStatus } from '../../network/link-delivery/exchange.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { TicketClaims } from '../../network/membership/tickets/ticket-claims.ts'
import { NetworkTakedowns } from '../../network/takedowns/network-takedowns.ts'
import type { CallServices } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { KeyValues } from '../../platform/key-value.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import { announcementKinds } from './announcement-kinds.ts'
import { LinkExchange, type LinkSites } from './link-exchange.ts'

export interface SharedCrawlNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly compressor: Compressor
  readonly keyValues: KeyValues
  readonly log: Log
  readonly signer: AnnouncementSigner
  /** Who holds which ticket; not where places do not come from tickets. */
  readonly members?: ConstructorParameters<typeof TicketClaims>[0]['members'] | undefined
  readonly services: Pick<CallServices, 'service'> & Partial<Pick<CallServices, 'stop'>>
  readonly places: Pick<
    RingPlaces,
    'self' | 'owners' | 'isOwner' | 'peers' | 'members' | 'isGone' | 'onChange'
  >
  readonly frontier: Frontier
  readonly crawl: Pick<Crawl, 'joinNetwork'>
  readonly sites: LinkSites & {
    /** Sites that are on their way here or from here: what is queued for them is in no frontier now. */
    unsettled(): number
  }
  /** The jobs of this peer alone. */
  readonly local: NetworkJobsNeeds['local']
  readonly store: ConstructorParameters<typeof NetworkTakedowns>[0]['store']
  /** Something was queued, or goes on. */
  wake(): void
}

interface SharedCrawlOptions {
  /** Where the maps of announcements and of the outbox lie. */
  readonly folder: string
  readonly announcements?: Partial<AnnouncementsOptions> | undefined
  readonly exchange?: Partial<ExchangeOptions> | undefined
  readonly jobs?: Partial<NetworkJobsOptions> | undefined
}

export interface SharedCrawl {
  readonly announcements: Announcements
  readonly jobs: NetworkJobs
  readonly takedowns: NetworkTakedowns
  readonly visits: NetworkVisits
  links(): ExchangeStatus
  /** When nothing is crawled any more, and before the ring is left. */
  close(): Promise<void>
}

/** How long a peer that leaves may take to send what waits. */
const emptyMsMax = 5_000

/** Before anything is crawled. */
export async function openSharedCrawl(
  needs: SharedCrawlNeeds,
  options: SharedCrawlOptions,
): Promise<SharedCrawl> {
  const { services, places, keyValues, sites, wake } = needs
  const maps = {
    announcements: await keyValues.open(join(options.folder, 'notices'), { hasJournal: true }),
    outbox: await keyValues.open(join(options.folder, 'outbox'), { hasJournal: true }),
  }
  const announcementCalls = services.service('notices')
  const announcements = await Announcements.open(
    {
      ...needs,
      keyValue: maps.announcements,
      kinds: announcementKinds,
      calls: announcementCalls,
      self: places.self,
      peers: () => places.peers(),
    },
    options.announcements,
  )
  announcementCalls.answer(announcements.answer)
  const { members } = needs
  const claims = members && new TicketClaims({ ...needs, members, announcements, self: places.self })
  claims?.announce()
  announcements.start()
  const stopListening = places.onChange(() => announcements.peersChanged())
  const links = new LinkExchange(
    { ...needs, keyValue: maps.outbox, calls: services.service('crawl'), owners: places.owners },
    options.exchange,
  )
  const jobs = new NetworkJobs(
    {
      ...needs,
      announcements,
      calls: services.service('jobs'),
      forward: (seeds, stop) => links.forward(seeds, stop),
      waitingOf: (jobId) => links.waitingOf(jobId),
      unsettledSites: () => sites.unsettled(),
      wake: () => wake(),
    },
    options.jobs,
  )
  const takedowns = new NetworkTakedowns({ ...needs, announcements })
  const visits = new NetworkVisits({ ...needs, announcements, wake: () => wake() })
  await takedowns.open()
  await visits.open()
  await jobs.open()
  links.start(jobs)
  return {
    announcements,
    jobs,
    takedowns,
    visits,
    links: () => links.status(),
    close: async () => {
      const isEmpty = await links.empty(emptyMsMax)
      await jobs.close({ isEmpty })
      await links.close()
      await takedowns.close()
      await visits.close()
      stopListening()
      claims?.close()
      await announcements.close()
      await services.stop?.(['notices', 'crawl', 'jobs'])
      await Promise.all([maps.announcements.close(), maps.outbox.close()])
    },
  }
}
