// A peer's part in the archive that its network keeps: copies, sites, links, jobs, announcements, reading and status, opened for
// a home and joined with its store and crawler.
//
// A capture's life: its site's lease holder (site-leases.ts) fetches it → it is on disk here → with its replica set
// (capture-copies.ts) → only then is its URL completed, with the links that lead to other peers in the outbox
// (link-exchange.ts). Whoever reads it asks any peer (network-reading.ts). Why so: docs/decisions/0027.
//
// What is kept for others, whether this peer crawls or not: kept-copies.ts. The crawl: network-crawl.ts, crawl-services.ts.

import { join } from 'node:path'
import type { PeerJobs } from '../../crawl/jobs/peer-jobs.ts'
import { PolyhistorError } from '../../errors.ts'
import { IncomingLinks } from '../../graph/incoming-links.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { clockOffsetOf } from '../../network/membership/presence/clock-offset.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { SitePlacements } from '../../network/site-placement/site-placements.ts'
import type { TrustTerms } from '../../network/volunteers/volunteer-record.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Capture } from '../../store/capture.ts'
import type { Store } from '../../store/store.ts'
import type { ChangesNetwork } from '../changes/open-changes.ts'
import type { Crawler } from '../crawl/crawler.ts'
import { PartialLists } from '../http/partial-lists.ts'
import type { Platform } from '../platform.ts'
import type { HomeProof } from '../proof/home-proof.ts'
import { type RankNetwork, rankNetwork } from '../rank/rank-network.ts'
import type { HandedOver } from '../ring/leaving.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { RoleParts } from '../ring/role-routes.ts'
import { type SearchNetwork, searchPlaces } from '../search/search-network.ts'
import type { DiskShare } from '../share/disk-share.ts'
import type { NetworkStatusService } from '../status/network-status.ts'
import { openArchiveStatus } from './archive-status.ts'
import type { CorroborationOptions } from './corroboration.ts'
import { type CrawlServices, openCrawlServices } from './crawl-services.ts'
import { enforceRoles, rolePartsOf } from './enforced-roles.ts'
import { type KeptCopies, type KeptCopiesOptions, openKeptCopies } from './kept-copies.ts'
import type { OpenKnownContent } from './known-content.ts'
import { type NetworkCrawl, openNetworkCrawl } from './network-crawl.ts'
import type { NetworkLog } from './network-log.ts'
import { type NetworkReading, openNetworkReading } from './network-reading.ts'
import { type OpenScreening, openScreening } from './screening.ts'
import type { SharedCrawl } from './shared-crawl.ts'

interface ArchiveNetworkNeeds {
  readonly platform: Platform
  readonly store: Store
  readonly ring: RingPeer
  readonly share: DiskShare
  readonly log: Log
}

export interface ArchiveNetworkOptions extends KeptCopiesOptions {
  /** Of pages that others are asked to fetch again. */
  readonly corroboration?: CorroborationOptions | undefined
  /** A site with more captures is split. */
  readonly siteCaptures: number
  /** What other peers keep is not kept again. */
  readonly knownContent: boolean
  /** How far volunteers are trusted; as the settings have it unless told. */
  readonly volunteers?: Partial<TrustTerms> | undefined
}

/** Services of the ring that are stopped last: others ask until we are off it. */
const lastServices = [
  ...['errands', 'browsers', 'sites', 'replica', 'reading', 'siteNames', 'content', 'status'],
  ...['links', 'rank', 'changes', 'survey', 'audits', 'corroboration', 'places'],
] as const

/** A capture that could not be spread is tried again after this: by then the ring knows who is gone. */
const spreadAgainMs = 1_000

export class ArchiveNetwork {
  readonly archive: ReadableArchive
  /** Of all peers. */
  readonly sites: NetworkReading['sites']
  readonly status: NetworkStatusService
  /** Of what is listed from the archive. */
  readonly partial = new PartialLists()
  readonly #needs: ArchiveNetworkNeeds
  readonly #options: ArchiveNetworkOptions
  readonly #kept: KeptCopies
  readonly #whenPlacesLost: (() => void)[] = []
  readonly #stop = new AbortController()
  #crawler: Crawler | undefined
  #crawling: NetworkCrawl | undefined
  #screening: OpenScreening | undefined
  #services: CrawlServices | undefined

  static async open(needs: ArchiveNetworkNeeds, options: ArchiveNetworkOptions): Promise<ArchiveNetwork> {
    const opened: { network?: ArchiveNetwork } = {}
    const crawling = {
      hasLease: (peer: PeerId, site: RingKey) => opened.network?.hasLease(peer, site) ?? false,
      crawls: (peer: PeerId, site: RingKey) => opened.network?.crawls(peer, site) ?? false,
      participants: () => opened.network?.participants(),
    }
    const kept = await openKeptCopies({ ...needs, crawling }, options)
    opened.network = new ArchiveNetwork(needs, options, kept)
    return opened.network
  }

  private constructor(needs: ArchiveNetworkNeeds, options: ArchiveNetworkOptions, kept: KeptCopies) {
    const { platform, ring, store, share, log } = needs
    const { places, copies } = kept
    this.#needs = needs
    this.#options = options
    this.#kept = kept
    const { archive, sites } = openNetworkReading({
      ...platform,
      ...{ store, services: ring.services, places, log },
      isComplete: (key) => copies.isComplete(key),
      spoolFolder: join(this.#folder, 'spool'),
      whenPartial: this.partial.note,
      roundTripMs: (peer) => ring.view().neighbours.find((other) => other.peer === peer)?.roundTripMs,
    })
    this.archive = archive
    this.sites = sites
    this.status = openArchiveStatus(
      {
        ...{ platform, ring, store, share, places, copies },
        placesMoved: () => kept.evenPlaces.view.taken + kept.evenPlaces.view.given,
        audits: () => kept.audits.status(),
        newcomers: () => kept.newcomers.views(),
        probation: () => this.#screening?.sentence(),
        crawling: () => this.#crawling,
        services: () => this.#services,
        browser: () => this.#crawler?.showing.status,
      },
      options.copies,
    )
  }

  /** Contents that others keep. undefined where all is to be kept here: others are answered all the same. */
  get contents(): OpenKnownContent | undefined {
    return this.#options.knownContent ? this.#kept.contents : undefined
  }

  /** What all peers have in common, once this one crawls. */
  get shared(): SharedCrawl | undefined {
    return this.#crawling?.shared
  }

  /** For who asks about roles, once this peer crawls. */
  get roleParts(): RoleParts {
    return rolePartsOf(this.#needs.ring, this.#crawling!.shared)
  }

  get changes(): ChangesNetwork {
    const { sites } = this.#crawling!
    const { places, copies, onTaken } = this.#kept
    return {
      self: places.self,
      calls: this.#needs.ring.services.service('changes'),
      copies: this.#options.copies,
      peers: () => places.peers(),
      members: () => places.members(),
      waitUntilSafe: (asked) => sites.waitUntilSafe(asked),
      unsettled: () => sites.unsettled(),
      clockOffsetMs: () => clockOffsetOf(this.#needs.ring.view()),
      spread: (capture) => copies.spread(capture),
      onCopy: (listener) => onTaken(({ ringKey }) => listener(ringKey)),
    }
  }

  /** Whether this peer is the one to begin the runs of the schedule whose place on the ring this is. */
  beginsRuns(key: RingKey): boolean {
    return this.#kept.places.isOwner(key) && this.#crawling!.shared.schedules.isCurrent
  }

  get placements(): SitePlacements {
    return this.#crawling!.placements
  }

  get self(): PeerId {
    return this.#kept.places.self
  }

  /** For questions about sites, queues and URLs. */
  get surveyCalls(): CallService {
    return this.#needs.ring.services.service('survey')
  }

  /** Of a site that is crawled here. */
  leaseFacts(site: RingKey): ReturnType<NetworkCrawl['sites']['leaseFacts']> {
    return this.#crawling?.sites.leaseFacts(site)
  }

  /** For questions about links, and whom to ask. */
  get linkCalls(): { calls: CallService; peers(): readonly PeerId[] } {
    const { places } = this.#kept
    return { calls: this.#needs.ring.services.service('links'), peers: () => places.peers() }
  }

  /** For the computing of ranks, and questions about them. */
  get rank(): RankNetwork {
    return rankNetwork(this.#needs.ring.services.service('rank'), this.#kept.places, this.#options.copies)
  }

  get search(): SearchNetwork {
    const { places, copies, onTaken } = this.#kept
    return {
      services: this.#needs.ring.services,
      places: searchPlaces(places, copies, this.#options.copies),
      incoming: () => {
        const { shared, sites } = this.#crawling!
        return [shared.incoming, IncomingLinks.readOnly(sites.replicaNotes)]
      },
      onCopy: onTaken,
    }
  }

  /** Whether the peer holds the site's lease, or decides who does, as far as that is known here. */
  crawls(peer: PeerId, site: RingKey): boolean {
    return this.#crawling?.sites.crawls(peer, site) ?? false
  }

  hasLease(peer: PeerId, site: RingKey): boolean {
    return this.#crawling?.sites.hasLease(peer, site) ?? false
  }

  /** How many peers take part in the network; undefined while that is not known. */
  participants(): number | undefined {
    return this.#crawling?.shared.jobs.participants()
  }

  /** Resolves when a capture is with enough others; not before, however long that takes. */
  async spread(capture: Capture): Promise<void> {
    const { clock } = this.#needs.platform
    for (;;) {
      try {
        await this.#kept.copies.spread(capture)
        return this.#services?.corroboration.consider(capture)
      } catch (error) {
        if (!(error instanceof PolyhistorError) || this.#stop.signal.aborted) throw error
        this.#needs.log.debug({ err: error, url: capture.url }, 'A capture waits for others to keep it too')
        await clock.sleep(spreadAgainMs, this.#stop.signal)
      }
    }
  }

  /** Before anything is crawled. */
  async joinCrawler(needs: {
    crawler: Crawler
    jobs: PeerJobs
    proof: HomeProof
    wake(): void
  }): Promise<void> {
    const { platform, ring, log, store, share } = this.#needs
    const { places, copies } = this.#kept
    const { services, signer, members, network, networkSeed } = ring
    this.#crawler = needs.crawler
    this.#crawling = await openNetworkCrawl(
      {
        ...platform,
        ...needs,
        ...{ services, signer, members, places, store, sums: copies.sums, log, share: ring.taken.weight },
        roles: { members, network, networkSeed },
      },
      {
        folder: this.#folder,
        siteCaptures: this.#options.siteCaptures,
        copies: this.#options.copies,
        shareBytes: share.shareBytes,
      },
    )
    enforceRoles(ring, this.#crawling.shared)
    this.#screen(this.#crawling.shared)
    this.#services = await openCrawlServices(
      { platform, ring, store, log, ...needs, crawling: this.#crawling, places, archive: this.archive },
      this.#folder,
      this.#options,
    )
  }

  /** This peer had places, and has faded: it has to begin anew without them. */
  whenPlacesLost(listener: () => void): void {
    this.#whenPlacesLost.push(listener)
  }

  #screen({ vouches, jobs }: SharedCrawl): void {
    const { ring, platform, log } = this.#needs
    const { places, newcomers, audits } = this.#kept
    if (vouches === undefined) return
    this.#screening = openScreening({
      ...{ ring, places, vouches, watch: newcomers, clock: platform.clock, log },
      tellSpare: (peer) => audits.tellSpare(peer),
      whenPlacesChange: (hasPlaces) => {
        if (!hasPlaces) for (const listener of this.#whenPlacesLost) listener()
        else void jobs.arrive()
      },
    })
  }

  /** Logs of all peers, once this one crawls. */
  get logs(): NetworkLog | undefined {
    return this.#services?.logs
  }

  /** For leaving for good: resolves when others have what is here. Rejects with 'copies-too-few' when they cannot. */
  async handOver(signal: AbortSignal, tell: (handedOver: HandedOver) => void): Promise<void> {
    const { bytes } = await this.#needs.store.stat()
    await this.#kept.copies.handOver(signal, ({ entries, done, sentBytes, taken }) =>
      tell({
        entries,
        done,
        sentBytes,
        leftBytes: Math.round((bytes.onDisk * (entries - done)) / Math.max(1, entries)),
        peers: [...taken].map(([peer, count]) => ({ peer, entries: count })),
      }),
    )
    try {
      await this.#crawling?.leavers.leave()
    } catch (error) {
      this.#kept.copies.stay()
      throw error
    }
  }

  /** A peer that is away will not come back: nobody waits for it any more. Resolves with its whole id. */
  async forget(peer: string): Promise<PeerId> {
    if (this.#crawling === undefined) throw new Error('not open yet')
    return this.#crawling.leavers.forget(peer)
  }

  /** When nothing is crawled any more, and before the ring is left. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#services?.close()
    await this.#screening?.close()
    await this.#kept.stop()
    await this.#crawling?.close()
    await this.#kept.close()
    await this.#needs.ring.services.stop(lastServices)
    await this.#crawling?.closeMaps()
    await this.#kept.closeMaps()
  }

  get #folder(): string {
    return join(this.#options.home, 'network')
  }
}
