// A peer's part in the archive that its network keeps: copies, sites, links, jobs, announcements, reading and status, opened for
// a home and joined with its store and crawler.
//
// A capture's life: its site's lease holder (site-leases.ts) fetches it → it is on disk here → with its replica set
// (capture-copies.ts) → only then is its URL completed, with the links that lead to other peers in the outbox
// (link-exchange.ts). Whoever reads it asks any peer (network-reading.ts). Why so: docs/decisions/0027.

import { dirname, join } from 'node:path'
import type { PeerJobs } from '../../crawl/jobs/peer-jobs.ts'
import { PolyhistorError } from '../../errors.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { NetworkJobs } from '../../network/jobs/network-jobs.ts'
import type { NetworkVisits } from '../../network/jobs/network-visits.ts'
import { clockLack, clockOffsetOf } from '../../network/membership/presence/clock-offset.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { NetworkTakedowns } from '../../network/takedowns/network-takedowns.ts'
import type { KeyValue } from '../../platform/key-value.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId } from '../../platform/network.ts'
import type { Capture } from '../../store/capture.ts'
import type { CopyWorkers } from '../../store/copying/whole-copies.ts'
import type { Store } from '../../store/store.ts'
import type { Crawler } from '../crawl/crawler.ts'
import { PartialLists } from '../http/partial-lists.ts'
import type { Platform } from '../platform.ts'
import { type HomePlacesOptions, openHomePlaces } from '../ring/home-places.ts'
import type { HandedOver } from '../ring/leaving.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { DiskShare } from '../share/disk-share.ts'
import { compactShare, deadShareFor } from '../share/share-compaction.ts'
import { ShareGuard } from '../share/share-guard.ts'
import { NetworkStatusService } from '../status/network-status.ts'
import { copiesLack, ownStatus } from '../status/own-status.ts'
import { type OpenCaptureCopies, openCaptureCopies } from './capture-copies.ts'
import { type OpenKnownContent, openKnownContent } from './known-content.ts'
import { type NetworkCrawl, openNetworkCrawl } from './network-crawl.ts'
import { type NetworkReading, openNetworkReading } from './network-reading.ts'

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
  /** A site with more captures is split. */
  readonly siteCaptures: number
  /** What other peers keep is not kept again. */
  readonly knownContent: boolean
  /** A volume is compacted when more than this part of it is dead and the share fills up. */
  readonly deadShare: number
}

interface OpenParts {
  places: RingPlaces
  copies: OpenCaptureCopies
  workers: CopyWorkers
  keeping: ShareGuard
}

/** A capture that could not be spread is tried again after this: by then the ring knows who is gone. */
const spreadAgainMs = 1_000

export class ArchiveNetwork {
  readonly archive: ReadableArchive
  /** Of all peers. */
  readonly sites: NetworkReading['sites']
  readonly status: NetworkStatusService
  /** Of what is listed from the archive. */
  readonly partial = new PartialLists()
  #contents: OpenKnownContent | undefined
  readonly #needs: ArchiveNetworkNeeds
  readonly #places: RingPlaces
  readonly #copies: OpenCaptureCopies
  readonly #workers: CopyWorkers
  readonly #keeping: ShareGuard
  #contentsMap: KeyValue | undefined
  readonly #stop = new AbortController()
  readonly #options: ArchiveNetworkOptions
  #crawling: NetworkCrawl | undefined

  static async open(needs: ArchiveNetworkNeeds, options: ArchiveNetworkOptions): Promise<ArchiveNetwork> {
    const { platform, ring, store, log, share } = needs
    const { clock, random } = platform
    for (const { path } of (await store.stat()).volumes) share.count(dirname(path))
    const places = await openHomePlaces({ platform, ring, log }, options)
    const compact = (isFull: boolean, signal: AbortSignal) =>
      compactShare(store, { deadShare: deadShareFor(isFull, options.deadShare), signal })
    const keeping = new ShareGuard({ share, ring: ring.ring, compact, clock, log })
    const workers = platform.threads.copies()
    const opened: { network?: ArchiveNetwork } = {}
    const copies = await openCaptureCopies(
      {
        store,
        services: ring.services,
        places,
        clock,
        random,
        log,
        workers,
        hasLease: (peer, site) => opened.network?.hasLease(peer, site) ?? false,
        crawls: (peer, site) => opened.network?.crawls(peer, site) ?? false,
        clockOffsetMs: () => clockOffsetOf(ring.view()),
        participants: () => opened.network?.participants(),
      },
      {
        copies: options.copies,
        copiesMin: options.copiesMin,
        ratePerSecond: options.repairRate,
        isShortOfRoom: () => keeping.isShort,
      },
    )
    const network = new ArchiveNetwork(needs, options, { places, copies, workers, keeping })
    opened.network = network
    await network.#openContents()
    keeping.start()
    return network
  }

  private constructor(
    needs: ArchiveNetworkNeeds,
    options: ArchiveNetworkOptions,
    { places, copies, workers, keeping }: OpenParts,
  ) {
    const { platform, ring, store, share, log } = needs
    const { clock } = platform
    this.#keeping = keeping
    this.#needs = needs
    this.#options = options
    this.#places = places
    this.#copies = copies
    this.#workers = workers
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
    this.status = new NetworkStatusService(
      {
        network: ring.view().network,
        calls: ring.services.service('status'),
        peers: () => places.peers(),
        away: () => places.away(),
        faults: () => ring.faults.view(),
        notices: () => this.#crawling?.shared.announcements.status(),
        clockLack: () => clockLack(ring.view()),
        copiesLack: () => copiesLack(copies.status()),
        memberProblems: () => ring.problems(),
        own: () =>
          ownStatus({
            peer: ring.peer,
            store,
            share,
            copies,
            copiesWanted: options.copies,
            clock,
            crawling: this.#crawling,
          }),
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

  get visits(): NetworkVisits {
    return this.#crawling!.shared.visits
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
        return await this.#copies.spread(capture)
      } catch (error) {
        if (!(error instanceof PolyhistorError) || this.#stop.signal.aborted) throw error
        this.#needs.log.debug({ err: error, url: capture.url }, 'A capture waits for others to keep it too')
        await clock.sleep(spreadAgainMs, this.#stop.signal)
      }
    }
  }

  /** Before anything is crawled. */
  async joinCrawler(needs: { crawler: Crawler; jobs: PeerJobs; wake(): void }): Promise<void> {
    const { platform, ring, log, store } = this.#needs
    const { clock, random, compressor, keyValues } = platform
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
    await this.#keeping.close()
    await this.#crawling?.close()
    await this.#contents?.close()
    await this.#copies.close()
    this.#places.close()
    // Others ask until we are off the ring.
    await this.#needs.ring.services.stop(['sites', 'replica', 'reading', 'siteNames', 'content', 'status'])
    await this.#workers.close()
    await this.#crawling?.closeMaps()
    await this.#contentsMap?.close()
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
