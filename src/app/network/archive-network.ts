// A peer's part in the archive that its network keeps: copies, sites, links, jobs, announcements, reading and status, opened for
// a home and joined with its store and crawler.
//
// A capture's life: its site's lease holder (site-leases.ts) fetches it → it is on disk here → with its replica set
// (capture-copies.ts) → only then is its URL completed, with the links that lead to other peers in the outbox
// (link-exchange.ts). Whoever reads it asks any peer (network-reading.ts). Why so: docs/decisions/0027.

import { dirname, join } from 'node:path'
import type { PeerJobs } from '../../crawl/jobs/peer-jobs.ts'
import { PolyhistorError } from '../../errors.ts'
import { IncomingLinks } from '../../graph/incoming-links.ts'
import type { RingKey } from '../../model/ring-key.ts'
import { countedPlaces } from '../../network/audits/counted-places.ts'
import type { NetworkJobs } from '../../network/jobs/network-jobs.ts'
import type { NetworkSchedules } from '../../network/jobs/network-schedules.ts'
import { clockOffsetOf } from '../../network/membership/presence/clock-offset.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { NetworkRoles } from '../../network/roles/network-roles.ts'
import type { NetworkRules } from '../../network/rules/network-rules.ts'
import { ProbationWatch } from '../../network/screening/probation-watch.ts'
import type { SitePlacements } from '../../network/site-placement/site-placements.ts'
import type { NetworkTakedowns } from '../../network/takedowns/network-takedowns.ts'
import type { TrustTerms } from '../../network/volunteers/volunteer-record.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { isBucketAddress } from '../../platform/storage/bucket.ts'
import type { KeyValue } from '../../platform/storage/key-value.ts'
import type { Capture } from '../../store/capture.ts'
import type { CopyWorkers } from '../../store/copying/whole-copies.ts'
import type { Store } from '../../store/store.ts'
import type { ChangesNetwork } from '../changes/open-changes.ts'
import type { Crawler } from '../crawl/crawler.ts'
import { PartialLists } from '../http/partial-lists.ts'
import type { Platform } from '../platform.ts'
import type { HomeProof } from '../proof/home-proof.ts'
import { type RankNetwork, rankNetwork } from '../rank/rank-network.ts'
import { type HomePlacesOptions, openHomePlaces } from '../ring/home-places.ts'
import type { HandedOver } from '../ring/leaving.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { RoleParts } from '../ring/role-routes.ts'
import { type CopiedUrl, type SearchNetwork, searchPlaces } from '../search/search-network.ts'
import type { DiskShare } from '../share/disk-share.ts'
import { compactShare, deadShareFor } from '../share/share-compaction.ts'
import { ShareGuard } from '../share/share-guard.ts'
import type { NetworkStatusService } from '../status/network-status.ts'
import { openArchiveStatus } from './archive-status.ts'
import {
  type OpenAuditScores,
  type OpenAudits,
  type OpenAuditsOptions,
  openAuditScores,
  openAudits,
} from './audits.ts'
import { type OpenCaptureCopies, openCaptureCopies } from './capture-copies.ts'
import type { CorroborationOptions } from './corroboration.ts'
import { type CrawlServices, openCrawlServices } from './crawl-services.ts'
import { type OpenKnownContent, openKnownContent } from './known-content.ts'
import { type NetworkCrawl, openNetworkCrawl } from './network-crawl.ts'
import type { NetworkLog } from './network-log.ts'
import { type NetworkReading, openNetworkReading } from './network-reading.ts'
import { type OpenScreening, openScreening } from './screening.ts'

interface ArchiveNetworkNeeds {
  readonly platform: Platform
  readonly store: Store
  readonly ring: RingPeer
  readonly share: DiskShare
  readonly log: Log
}

export interface ArchiveNetworkOptions extends HomePlacesOptions {
  readonly copiesMin: number
  /** Bytes a second for repair. */
  readonly repairRate: number
  /** Of copies of others; without it nobody is asked. */
  readonly audits?: OpenAuditsOptions | undefined
  /** Of pages that others are asked to fetch again. */
  readonly corroboration?: CorroborationOptions | undefined
  /** A site with more captures is split. */
  readonly siteCaptures: number
  /** What other peers keep is not kept again. */
  readonly knownContent: boolean
  /** A volume is compacted when more than this part of it is dead and the share fills up. */
  readonly deadShare: number
  /** How far volunteers are trusted; as the settings have it unless told. */
  readonly volunteers?: Partial<TrustTerms> | undefined
}

interface OpenParts {
  places: RingPlaces
  copies: OpenCaptureCopies
  workers: CopyWorkers
  keeping: ShareGuard
  scores: OpenAuditScores
}

/** A capture that could not be spread is tried again after this: by then the ring knows who is gone. */
const spreadAgainMs = 1_000

/** What a peer on probation keeps; undefined for one that has places. */
function spareArcOf(ring: RingPeer, places: RingPlaces) {
  const place = ring.isSpare ? ring.firstPlaceOf(ring.peer) : undefined
  return place === undefined ? undefined : places.arcUpTo(place)
}

export class ArchiveNetwork {
  readonly archive: ReadableArchive
  /** Of all peers. */
  readonly sites: NetworkReading['sites']
  readonly status: NetworkStatusService
  /** Of what is listed from the archive. */
  readonly partial = new PartialLists()
  #contents: OpenKnownContent | undefined
  readonly #whenTaken: ((url: CopiedUrl) => void)[] = []
  readonly #needs: ArchiveNetworkNeeds
  readonly #places: RingPlaces
  readonly #copies: OpenCaptureCopies
  readonly #workers: CopyWorkers
  readonly #keeping: ShareGuard
  readonly #scores: OpenAuditScores
  readonly #audits: OpenAudits
  readonly #newcomers: ProbationWatch
  #screening: OpenScreening | undefined
  readonly #whenPlacesLost: (() => void)[] = []
  #contentsMap: KeyValue | undefined
  readonly #stop = new AbortController()
  readonly #options: ArchiveNetworkOptions
  #crawling: NetworkCrawl | undefined
  #crawler: Crawler | undefined
  #services: CrawlServices | undefined

  static async open(needs: ArchiveNetworkNeeds, options: ArchiveNetworkOptions): Promise<ArchiveNetwork> {
    const { platform, ring, store, log, share } = needs
    const { clock, random } = platform
    for (const { path } of (await store.stat()).volumes)
      if (!isBucketAddress(path)) share.count(dirname(path))
    const places = await openHomePlaces({ platform, ring, log }, options)
    const compact = (isFull: boolean, triedBytes: number | undefined, signal: AbortSignal) =>
      compactShare(store, { deadShare: deadShareFor(isFull, options.deadShare), triedBytes, signal })
    const keeping = new ShareGuard({ share, ring: ring.ring, compact, clock, log })
    const workers = platform.threads.copies()
    const scores = await openAuditScores(platform, join(options.home, 'network'))
    const opened: { network?: ArchiveNetwork } = {}
    const copies = await openCaptureCopies(
      {
        store,
        services: ring.services,
        places: countedPlaces(places, scores.scores),
        clock,
        random,
        log,
        workers,
        hasLease: (peer, site) => opened.network?.hasLease(peer, site) ?? false,
        crawls: (peer, site) => opened.network?.crawls(peer, site) ?? false,
        clockOffsetMs: () => clockOffsetOf(ring.view()),
        participants: () => opened.network?.participants(),
        spareArc: () => spareArcOf(ring, places),
        taken: (url) => {
          if (opened.network !== undefined) for (const tell of opened.network.#whenTaken) tell(url)
        },
        whenDamaged: (sender) =>
          ring.faults.note('malformed', 'replica', sender, new Error('a wrong capture')),
      },
      {
        copies: options.copies,
        copiesMin: options.copiesMin,
        ratePerSecond: () => options.repairRate,
        isShortOfRoom: () => keeping.isShort,
      },
    )
    const network = new ArchiveNetwork(needs, options, { places, copies, workers, keeping, scores })
    opened.network = network
    await network.#openContents()
    keeping.start()
    return network
  }

  private constructor(
    needs: ArchiveNetworkNeeds,
    options: ArchiveNetworkOptions,
    { places, copies, workers, keeping, scores }: OpenParts,
  ) {
    const { platform, ring, store, share, log } = needs
    this.#keeping = keeping
    this.#needs = needs
    this.#options = options
    this.#places = places
    this.#copies = copies
    this.#workers = workers
    this.#scores = scores
    this.#newcomers = new ProbationWatch({
      ...{ records: scores.probation, members: ring.members, scores: scores.scores, places, log },
      clock: platform.clock,
      placeOf: (peer) => ring.firstPlaceOf(peer),
    })
    this.#audits = openAudits(
      {
        ...{ ...platform, store, services: ring.services, places, copies, scores: scores.scores, log },
        newcomers: this.#newcomers,
      },
      options.audits ?? { bytesPerSecond: 0 },
    )
    const { archive, sites } = openNetworkReading({
      ...platform,
      store,
      services: ring.services,
      places,
      isComplete: (key) => copies.isComplete(key),
      log,
      spoolFolder: join(this.#folder, 'spool'),
      whenPartial: this.partial.note,
      roundTripMs: (peer) => ring.view().neighbours.find((other) => other.peer === peer)?.roundTripMs,
    })
    this.archive = archive
    this.sites = sites
    this.status = openArchiveStatus(
      {
        ...{ platform, ring, store, share, places, copies },
        audits: () => this.#audits.status(),
        newcomers: () => this.#newcomers.views(),
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
    return this.#options.knownContent ? this.#contents : undefined
  }

  get jobs(): NetworkJobs {
    return this.#crawling!.shared.jobs
  }

  get takedowns(): NetworkTakedowns {
    return this.#crawling!.shared.takedowns
  }

  get roles(): NetworkRoles | undefined {
    return this.#crawling?.shared.roles
  }

  /** For who asks about roles, once this peer crawls. */
  get roleParts(): RoleParts {
    const { roles, takedowns, rules, self } = this
    if (roles === undefined) throw new Error('not open yet')
    const { networkSeed } = this.#needs.ring
    const { invitations, releases } = this.#crawling!.shared
    const addresses = () => this.#needs.ring.addresses()
    const hasNetworkKey = networkSeed !== undefined
    return {
      ...{ self, hasNetworkKey, roles, takedowns, rules, addresses },
      ...{ invitations: invitations!, releases: releases! },
    }
  }

  get changes(): ChangesNetwork {
    const { sites } = this.#crawling!
    return {
      self: this.#places.self,
      calls: this.#needs.ring.services.service('changes'),
      copies: this.#options.copies,
      peers: () => this.#places.peers(),
      members: () => this.#places.members(),
      waitUntilSafe: (asked) => sites.waitUntilSafe(asked),
      unsettled: () => sites.unsettled(),
      clockOffsetMs: () => clockOffsetOf(this.#needs.ring.view()),
      spread: (capture) => this.#copies.spread(capture),
      onCopy: (listener) => {
        this.#whenTaken.push(({ ringKey }) => listener(ringKey))
      },
    }
  }

  /** Whether this peer is the one to begin the runs of the schedule whose place on the ring this is. */
  beginsRuns(key: RingKey): boolean {
    return this.#places.isOwner(key) && this.schedules.isCurrent
  }

  get schedules(): NetworkSchedules {
    return this.#crawling!.shared.schedules
  }

  get rules(): NetworkRules {
    return this.#crawling!.shared.rules
  }

  get placements(): SitePlacements {
    return this.#crawling!.placements
  }

  get incomingLinks(): IncomingLinks | undefined {
    return this.#crawling?.shared.incoming
  }

  get self(): PeerId {
    return this.#places.self
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
    return { calls: this.#needs.ring.services.service('links'), peers: () => this.#places.peers() }
  }

  /** For the computing of ranks, and questions about them. */
  get rank(): RankNetwork {
    return rankNetwork(this.#needs.ring.services.service('rank'), this.#places, this.#options.copies)
  }

  get search(): SearchNetwork {
    return {
      services: this.#needs.ring.services,
      places: searchPlaces(this.#places, this.#copies, this.#options.copies),
      incoming: () => {
        const { shared, sites } = this.#crawling!
        return [shared.incoming, IncomingLinks.readOnly(sites.replicaNotes)]
      },
      onCopy: (listener) => {
        this.#whenTaken.push(listener)
      },
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
        await this.#copies.spread(capture)
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
    const { platform, ring, log, store } = this.#needs
    const { clock, random, compressor, keyValues } = platform
    this.#crawler = needs.crawler
    const { services, signer, members } = ring
    const { sums } = this.#copies
    this.#crawling = await openNetworkCrawl(
      {
        clock,
        random,
        compressor,
        keyValues,
        ...needs,
        wake: () => needs.wake(),
        services,
        signer,
        members,
        roles: { members, network: ring.network, networkSeed: ring.networkSeed },
        places: this.#places,
        store,
        sums,
        log,
      },
      {
        folder: this.#folder,
        siteCaptures: this.#options.siteCaptures,
        copies: this.#options.copies,
        shareBytes: this.#needs.share.shareBytes,
      },
    )
    this.#enforceRoles()
    this.#screen()
    this.#services = await openCrawlServices(
      {
        ...{
          platform,
          ring,
          store,
          log,
          crawler: needs.crawler,
          proof: needs.proof,
          wake: () => needs.wake(),
        },
        ...{ crawling: this.#crawling, places: this.#places, archive: this.archive },
      },
      this.#folder,
      this.#options,
    )
  }

  /** This peer had places, and has faded: it has to begin anew without them. */
  whenPlacesLost(listener: () => void): void {
    this.#whenPlacesLost.push(listener)
  }

  #screen(): void {
    const { ring, platform, log } = this.#needs
    const { vouches, jobs } = this.#crawling!.shared
    if (vouches === undefined) return
    this.#screening = openScreening({
      ...{ ring, places: this.#places, vouches, watch: this.#newcomers, clock: platform.clock, log },
      tellSpare: (peer) => this.#audits.tellSpare(peer),
      whenPlacesChange: (hasPlaces) => {
        if (!hasPlaces) for (const listener of this.#whenPlacesLost) listener()
        else void jobs.arrive()
      },
    })
  }

  /** Who is revoked is put out as soon as it is heard of. */
  #enforceRoles(): void {
    const { ring } = this.#needs
    const { roles } = this
    if (roles === undefined) return
    const enforce = () => {
      const { peer, members } = ring
      const placed = vouches?.placed() ?? []
      ring.enforce({ own: members.roleOf(peer), revoked: roles.history.revoked(), placed })
    }
    const { vouches } = this.#crawling!.shared
    // Roles change what vouches come to: it tells of both.
    if (vouches === undefined) roles.onChange(enforce)
    else vouches.onChange(enforce)
    enforce()
  }

  /** Logs of all peers, once this one crawls. */
  get logs(): NetworkLog | undefined {
    return this.#services?.logs
  }

  /** For leaving for good: resolves when others have what is here. Rejects with 'copies-too-few' when they cannot. */
  async handOver(signal: AbortSignal, tell: (handedOver: HandedOver) => void): Promise<void> {
    const { bytes } = await this.#needs.store.stat()
    await this.#copies.handOver(signal, ({ entries, done, sentBytes, taken }) =>
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
      this.#copies.stay()
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
    await this.#newcomers.close()
    await this.#keeping.close()
    await this.#audits.close()
    await this.#crawling?.close()
    await this.#contents?.close()
    await this.#copies.close()
    this.#places.close()
    // Others ask until we are off the ring.
    await this.#needs.ring.services.stop([
      'errands',
      'browsers',
      'sites',
      'replica',
      'reading',
      'siteNames',
      'content',
      'status',
      'links',
      'rank',
      'changes',
      'survey',
      'audits',
      'corroboration',
    ])
    await this.#workers.close()
    await this.#crawling?.closeMaps()
    await this.#contentsMap?.close()
    await this.#scores.close()
  }

  get #folder(): string {
    return join(this.#options.home, 'network')
  }

  async #openContents(): Promise<void> {
    const { platform, store, ring, log } = this.#needs
    const { clock, keyValues } = platform
    const keyValue = await keyValues.open(join(this.#folder, 'contents'), { hasJournal: true })
    this.#contentsMap = keyValue
    this.#contents = openKnownContent(
      { store, services: ring.services, places: this.#places, keyValue, clock, log },
      { copiesMin: this.#options.copiesMin },
    )
  }
}
