// Shared crawl: announcements, link delivery, jobs, takedowns and rules of one peer of a network, opened and closed
// together.

import { join } from 'node:path'
import type { Crawl } from '../../crawl/crawl.ts'
import type { Frontier } from '../../crawl/frontier/frontier.ts'
import type { IncomingLinks } from '../../graph/incoming-links.ts'
import type { AnnouncementSigner } from '../../network/announcements/announcement.ts'
import { Announcements, type AnnouncementsOptions } from '../../network/announcements/announcements.ts'
import {
  NetworkJobs,
  type NetworkJobsNeeds,
  type NetworkJobsOptions,
} from '../../network/jobs/network-jobs.ts'
import { NetworkSchedules } from '../../network/jobs/network-schedules.ts'
import type { ExchangeOptions, ExchangeStatus } from '../../network/link-delivery/exchange.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { TicketClaims } from '../../network/membership/tickets/ticket-claims.ts'
import { NetworkReleases } from '../../network/releases/network-releases.ts'
import { InvitationDesk } from '../../network/roles/invitation-desk.ts'
import { NetworkRoles } from '../../network/roles/network-roles.ts'
import { NetworkRules } from '../../network/rules/network-rules.ts'
import { Vouches } from '../../network/screening/vouches.ts'
import { HeardTimes } from '../../network/takedowns/heard-times.ts'
import { NetworkTakedowns } from '../../network/takedowns/network-takedowns.ts'
import type { CallServices } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { Log } from '../../platform/log.ts'
import type { Random } from '../../platform/random.ts'
import type { KeyValues } from '../../platform/storage/key-value.ts'
import { announcementKinds } from './announcement-kinds.ts'
import { LinkExchange, type LinkSites } from './link-exchange.ts'
import { MentionSink } from './mention-sink.ts'

export interface SharedCrawlNeeds {
  readonly clock: Clock
  readonly random: Random
  readonly compressor: Compressor
  readonly keyValues: KeyValues
  readonly log: Log
  readonly signer: AnnouncementSigner
  /** Who holds which ticket; not where places do not come from tickets. */
  readonly members?: ConstructorParameters<typeof TicketClaims>[0]['members'] | undefined
  /** Which network it is, and who its members are; without it they have no roles, and every member may do everything. */
  readonly roles?:
    | (Pick<ConstructorParameters<typeof NetworkRoles>[0], 'members' | 'network' | 'networkSeed'> &
        Pick<ConstructorParameters<typeof Vouches>[0], 'members'>)
    | undefined
  readonly services: Pick<CallServices, 'service'> & Partial<Pick<CallServices, 'stop'>>
  readonly places: Pick<
    RingPlaces,
    'self' | 'owners' | 'isOwner' | 'peers' | 'members' | 'isGone' | 'onChange'
  > &
    Partial<Pick<RingPlaces, 'isSpare'>>
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
  /** Which pages of others' sites link to those of ours. */
  readonly incoming: IncomingLinks
  readonly rules: NetworkRules
  readonly schedules: NetworkSchedules
  readonly roles: NetworkRoles | undefined
  readonly invitations: InvitationDesk | undefined
  /** Who of those on probation has proved itself; undefined where there are no roles. */
  readonly vouches: Vouches | undefined
  /** Which version of the program the network runs. */
  readonly releases: NetworkReleases | undefined
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
  const roles =
    needs.roles && new NetworkRoles({ ...needs, ...needs.roles, announcements, self: places.self })
  const vouches =
    needs.roles && new Vouches({ announcements, members: needs.roles.members, self: places.self })
  roles?.onChange(() => vouches?.changed())
  const releases = needs.roles && new NetworkReleases({ announcements, ...needs.roles, self: places.self })
  await roles?.open()
  const invitations =
    roles &&
    new InvitationDesk({
      ...needs,
      ...needs.roles!,
      networkSeed: needs.roles!.networkSeed,
      roles,
      calls: services.service('invitations'),
      self: places.self,
    })
  const authority = roles?.authority
  announcements.start()
  const stopListening = places.onChange(() => announcements.peersChanged())
  const mentions = new MentionSink(needs)
  const links = new LinkExchange(
    { ...needs, mentions, keyValue: maps.outbox, calls: services.service('crawl'), owners: places.owners },
    options.exchange,
  )
  const jobs = new NetworkJobs(
    {
      ...needs,
      authority,
      announcements,
      calls: services.service('jobs'),
      forward: (seeds, stop) => links.forward(seeds, stop),
      waitingOf: (jobId) => links.waitingOf(jobId),
      unsettledSites: () => sites.unsettled(),
      wake: () => wake(),
    },
    options.jobs,
  )
  const heard = new HeardTimes({
    keyValue: maps.announcements,
    clock: needs.clock,
    isNewcomer: () => !announcements.wasInformed,
  })
  const waiting = { clock: needs.clock, heard }
  const takedowns = new NetworkTakedowns({
    ...needs,
    ...{ announcements, authority, waiting, self: places.self },
    ...(roles && { overrule: (others, reason) => roles.overrule(others, reason) }),
  })
  const rules = new NetworkRules({
    ...needs,
    authority,
    self: places.self,
    announcements,
    wake: () => {
      jobs.rulesChanged()
      wake()
    },
  })
  const schedules = new NetworkSchedules({ announcements, clock: needs.clock })
  await schedules.shareOwn(needs.frontier.schedules)
  await takedowns.open()
  await rules.open()
  await jobs.open()
  links.start(jobs)
  return {
    announcements,
    jobs,
    takedowns,
    incoming: mentions.incoming,
    rules,
    schedules,
    roles,
    invitations,
    vouches,
    releases,
    links: () => links.status(),
    close: async () => {
      const isEmpty = await links.empty(emptyMsMax)
      await jobs.close({ isEmpty })
      await links.close()
      await takedowns.close()
      await rules.close()
      schedules.close()
      stopListening()
      roles?.close()
      vouches?.close()
      releases?.close()
      claims?.close()
      await announcements.close()
      await services.stop?.(['notices', 'crawl', 'jobs', 'invitations'])
      await Promise.all([maps.announcements.close(), maps.outbox.close()])
    },
  }
}
