// Which sites this peer crawls: the leases and sites of a home, wired to its frontier, the ring and calls.

import type { FrontierSites } from '../../crawl/frontier/sites/frontier-sites.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { ReplicaStore } from '../../network/frontier-replication/replica-store.ts'
import type { SiteTerms } from '../../network/frontier-replication/site-terms.ts'
import { Sites } from '../../network/frontier-replication/sites.ts'
import type { LeaseTerms } from '../../network/leases/lease.ts'
import { LeaseStore } from '../../network/leases/lease-store.ts'
import { Leases } from '../../network/leases/leases.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { EvenLoad } from '../../network/site-placement/even-load.ts'
import type { LeaderChoice } from '../../network/site-placement/given-sites.ts'
import type { LoadTerms } from '../../network/site-placement/load-terms.ts'
import { MemberTimes } from '../../network/site-placement/member-times.ts'
import type { PlacementTerms } from '../../network/site-placement/placement-terms.ts'
import { SiteLeadership } from '../../network/site-placement/site-leadership.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import { GroupCommit } from '../../platform/storage/group-commit.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import { replicaNotes } from './replica-notes.ts'

/** What is needed of the ring: RingPlaces has it. */
export type LeasePlaces = Pick<
  RingPlaces,
  'self' | 'isOwner' | 'replicaSet' | 'fullSet' | 'isGone' | 'onChange'
> &
  Partial<Pick<RingPlaces, 'members' | 'positions'>> & {
    readonly owners: Pick<RingPlaces['owners'], 'ownerOf'> &
      Partial<Pick<RingPlaces['owners'], 'likelyOwnerOf'>>
  }

interface SiteLeasesNeeds {
  readonly frontier: { readonly sites: FrontierSites }
  /** The service `sites`. */
  readonly calls: CallService
  readonly places: LeasePlaces
  /** How much this peer gives, in positions; as many as it has places unless told. */
  readonly share?: number | undefined
  /** Which sites somebody wants another member than their owner to crawl; none unless told. The others are moved by load. */
  readonly choice?: LeaderChoice | undefined
  /** Maps of their own, with journals: they are flushed often. */
  readonly leases: KeyValue
  readonly replicas: KeyValue
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface SiteLeases
  extends Pick<Sites, 'canCrawl' | 'waitUntilReady' | 'waitUntilSafe' | 'status'>,
    Pick<SiteLeadership, 'leads' | 'placedAt'> {
  /** Whether the peer is the site's lease holder or one of its members, now or before, as far as that is known here. */
  hasLease(peer: PeerId, site: RingKey): boolean
  /** Whether the peer is the site's lease holder now, as far as that is known here. */
  crawls(peer: PeerId, site: RingKey): boolean
  /** Of a site that is crawled here, or is to be: its lease, and how many members have all of it. */
  leaseFacts(
    site: RingKey,
  ): { readonly epoch: number; readonly members: readonly PeerId[]; readonly copies: number } | undefined
  /** This peer has connected to a server of the site: who is near is to crawl it. */
  noteConnect(site: RingKey, address: string, connectMs: number): void
  /** How many of our sites were given to other members, or back, for their load. */
  movedByLoad(): number
  /** Sites that are on their way here or from here. */
  unsettled(): number
  /** Notes of sites that others crawl and this peer is a member of. */
  readonly replicaNotes: ReturnType<typeof replicaNotes>
  /** When nothing is crawled any more, and others can still be told. */
  close(): Promise<void>
}

/** The first byte of a question. */
const toLeases = 0
const toSites = 1
const toLeadership = 2

const noChoice: LeaderChoice = { sites: () => [], leaderOf: () => undefined, onChange: () => () => {} }

export function openSiteLeases(
  needs: SiteLeasesNeeds,
  terms: {
    leases?: Partial<LeaseTerms>
    sites?: Partial<SiteTerms>
    placement?: Partial<PlacementTerms>
    load?: Partial<LoadTerms>
  } = {},
): SiteLeases {
  const { frontier, calls, places, clock, random, log } = needs
  const replicas = new ReplicaStore(needs.replicas)
  const commits = new GroupCommit(() => frontier.sites.flush())
  const store = new LeaseStore(needs.leases)
  const asker =
    (part: number, channel: 'control' | 'bulk') =>
    (peer: PeerId, question: Uint8Array, { deadlineMs }: { deadlineMs: number }) =>
      calls.call(peer, [Uint8Array.of(part), question], { deadlineMs, channel })
  const isMember = (peer: PeerId): boolean => places.members?.().includes(peer) ?? true
  const { choice = noChoice } = needs
  const times = new MemberTimes(places.self)
  const evenLoad = new EvenLoad(
    {
      self: places.self,
      clock,
      random,
      times,
      loads: () => loadsOf(sites.crawled(), frontier.sites.loads()),
      replicaSet: (site) => places.replicaSet(site),
      share: needs.share,
      capacities: () => countsOf((places.positions?.() ?? []).map(({ peer }) => peer)),
      placedAt: (site) => leadership.placedAt(site),
      isPlaced: (site) => choice.leaderOf(site, places.replicaSet(site) ?? []) !== undefined,
    },
    terms.load,
  )
  const leadership: SiteLeadership = new SiteLeadership(
    {
      self: places.self,
      clock,
      random,
      choice: firstOf(choice, evenLoad),
      load: evenLoad,
      isOwner: (site) => places.isOwner(site),
      replicaSet: (site) => places.replicaSet(site),
      ownerOf: (site) => places.owners.ownerOf(site),
      isMember,
      isLed: (site) => sites.canCrawl(site),
      open: (site) => sites.lead(site),
      ask: asker(toLeadership, 'control'),
    },
    terms.placement,
  )
  const leases = new Leases(
    {
      self: places.self,
      clock,
      random,
      store,
      ask: asker(toLeases, 'control'),
      replicaSet: (site) => leadership.membersOf(site),
      fullSet: (site) => places.fullSet(site),
      isGone: (peer) => places.isGone(peer),
      isMember,
      ownerOf: (site) => places.owners.likelyOwnerOf?.(site)?.peer,
      isEstablished: (site, epoch) => replicas.head(site).established >= epoch,
      onChange: (site) => sites.onLeaseChange(site),
    },
    terms.leases,
  )
  const sites = new Sites(
    {
      clock,
      random,
      log,
      frontier: frontier.sites,
      replicas,
      leases,
      places: {
        self: places.self,
        leads: (site) => leadership.leads(site),
        placedAt: (site) => leadership.placedAt(site),
        isGone: (peer) => places.isGone(peer),
        ownerOf: (site) => places.owners.ownerOf(site),
        onChange: (listener) => {
          const stops = [places.onChange(listener), leadership.onChange(listener)]
          return () => {
            for (const stop of stops) stop()
          }
        },
      },
      flush: () => commits.commit(),
      ask: asker(toSites, 'bulk'),
    },
    terms.sites,
  )
  calls.answer((from, bytes) => {
    const question = bytes.subarray(1)
    if (bytes[0] === toLeases) return leases.answer(from, question)
    if (bytes[0] === toLeadership) return leadership.answer(from, question)
    return sites.answer(from, question)
  })
  leases.start()
  leadership.start()
  sites.start()
  evenLoad.start()
  return {
    canCrawl: (site, forMs) => sites.canCrawl(site, forMs),
    waitUntilReady: (site) => sites.waitUntilReady(site),
    waitUntilSafe: (asked) => sites.waitUntilSafe(asked),
    leads: (site) => leadership.leads(site),
    placedAt: (site) => leadership.placedAt(site),
    hasLease: (peer, site) => {
      const { decided } = store.get(site)
      if (decided === undefined) return false
      return (
        decided.holder === peer || [decided, ...decided.before].some(({ members }) => members.includes(peer))
      )
    },
    crawls: (peer, site) => store.get(site).decided?.holder === peer,
    leaseFacts: (site) => {
      const held = leases.leaseOf(site)
      return held && { epoch: held.epoch, members: held.members, copies: sites.copiesOf(site) }
    },
    noteConnect: (site, address, connectMs) => times.note(site, address, connectMs),
    movedByLoad: () => evenLoad.moves,
    unsettled: () => sites.unsettled,
    replicaNotes: replicaNotes(replicas),
    status: () => sites.status(),
    close: async () => {
      evenLoad.close()
      leadership.close()
      await sites.close()
      await leases.close()
    },
  }
}

/** What the first says; where it says nothing, the second. */
function firstOf(first: LeaderChoice, second: LeaderChoice): LeaderChoice {
  return {
    sites: () => new Set([...first.sites(), ...second.sites()]),
    leaderOf: (site, members) => first.leaderOf(site, members) ?? second.leaderOf(site, members),
    onChange: (listener) => {
      const stops = [first.onChange(listener), second.onChange(listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}

function loadsOf(sites: Iterable<RingKey>, known: ReadonlyMap<RingKey, number>): Map<RingKey, number> {
  const loads = new Map<RingKey, number>()
  for (const site of sites) loads.set(site, known.get(site) ?? 0)
  return loads
}

function countsOf<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}
