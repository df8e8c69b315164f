// Which sites this peer crawls: stewards and sites of a home, joined with its frontier, the ring and the calls of others.

import type { FrontierSites } from '../../crawl/frontier/sites/frontier-sites.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { ShadowBook } from '../../network/frontier-replication/shadow-book.ts'
import type { SiteTerms } from '../../network/frontier-replication/site-terms.ts'
import { Sites, type SitesStatus } from '../../network/frontier-replication/sites.ts'
import { Stewards } from '../../network/leases/stewards.ts'
import type { StewardTerms } from '../../network/leases/stewardship.ts'
import { StewardshipBook } from '../../network/leases/stewardship-book.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import { GroupCommit } from '../../platform/group-commit.ts'
import type { KeyValue } from '../../platform/key-value.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network.ts'
import type { Random } from '../../platform/random.ts'

/** What is needed of the ring: RingPlaces has it. */
export type StewardPlaces = Pick<
  RingPlaces,
  'self' | 'isOwner' | 'replicaSet' | 'fullSet' | 'isGone' | 'onChange'
> &
  Partial<Pick<RingPlaces, 'members'>> & {
    readonly owners: Pick<RingPlaces['owners'], 'ownerOf'> &
      Partial<Pick<RingPlaces['owners'], 'likelyOwnerOf'>>
  }

export interface SiteStewardsNeeds {
  readonly frontier: { readonly sites: FrontierSites }
  /** The service `sites`. */
  readonly calls: CallService
  readonly places: StewardPlaces
  /** Maps of their own, with journals: they are flushed often. */
  readonly stewards: KeyValue
  readonly shadows: KeyValue
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export interface SiteStewards {
  /** True: the site is crawled here, and nobody else asks it now. */
  may(site: RingKey): boolean
  /** Resolves when `may`; rejects with an error that passes when that takes long, or when the site is another's. */
  ready(site: RingKey): Promise<void>
  /** Resolves when what was told to the frontier so far, of these sites or of all, is with their members. Rejects with an error
   * that passes. */
  safe(sites?: Iterable<RingKey>): Promise<void>
  /** Whether the peer is the site's steward or one of its members, now or before, as far as that is known here. */
  hasLease(peer: PeerId, site: RingKey): boolean
  /** Whether the peer is the site's steward now, as far as that is known here. */
  crawls(peer: PeerId, site: RingKey): boolean
  /** Sites that are on their way here or from here. */
  unsettled(): number
  status(): SitesStatus
  /** When nothing is crawled any more, and others can still be told. */
  close(): Promise<void>
}

/** The first byte of a question. */
const toStewards = 0
const toSites = 1

export function openSiteStewards(
  needs: SiteStewardsNeeds,
  terms: { stewards?: Partial<StewardTerms>; sites?: Partial<SiteTerms> } = {},
): SiteStewards {
  const { frontier, calls, places, clock, random, log } = needs
  const shadows = new ShadowBook(needs.shadows)
  const commits = new GroupCommit(() => frontier.sites.flush())
  const book = new StewardshipBook(needs.stewards)
  const asker =
    (part: number, channel: 'control' | 'bulk') =>
    (peer: PeerId, question: Uint8Array, { deadlineMs }: { deadlineMs: number }) =>
      calls.call(peer, [Uint8Array.of(part), question], { deadlineMs, channel })
  const stewards = new Stewards(
    {
      self: places.self,
      clock,
      random,
      book,
      ask: asker(toStewards, 'control'),
      replicaSet: (site) => places.replicaSet(site),
      fullSet: (site) => places.fullSet(site),
      isGone: (peer) => places.isGone(peer),
      isMember: (peer) => places.members?.().includes(peer) ?? true,
      ownerOf: (site) => places.owners.likelyOwnerOf?.(site)?.peer,
      isEstablished: (site, epoch) => shadows.head(site).established >= epoch,
      changed: (site) => sites.stewardshipChanged(site),
    },
    terms.stewards,
  )
  const sites = new Sites(
    {
      clock,
      random,
      log,
      frontier: frontier.sites,
      shadows,
      stewards,
      places: {
        self: places.self,
        isOwner: (site) => places.isOwner(site),
        isGone: (peer) => places.isGone(peer),
        ownerOf: (site) => places.owners.ownerOf(site),
        onChange: (listener) => places.onChange(listener),
      },
      flush: () => commits.commit(),
      ask: asker(toSites, 'bulk'),
    },
    terms.sites,
  )
  calls.answer((from, bytes) => {
    const question = bytes.subarray(1)
    return bytes[0] === toStewards ? stewards.answer(from, question) : sites.answer(from, question)
  })
  stewards.start()
  sites.start()
  return {
    may: (site) => sites.may(site),
    ready: (site) => sites.ready(site),
    safe: (asked) => sites.safe(asked),
    hasLease: (peer, site) => {
      const { decided } = book.get(site)
      if (decided === undefined) return false
      return (
        decided.steward === peer || [decided, ...decided.before].some(({ members }) => members.includes(peer))
      )
    },
    crawls: (peer, site) => book.get(site).decided?.steward === peer,
    unsettled: () => sites.unsettled,
    status: () => sites.status(),
    close: async () => {
      await sites.close()
      stewards.close()
    },
  }
}
