// What a peer of a network keeps for all of it, whether it crawls or not: its places on the ring, its copies and the room for
// them, contents that others keep, audits of those who keep the same, and what it has seen of newcomers.

import { dirname, join } from 'node:path'
import { countedPlaces } from '../../network/audits/counted-places.ts'
import type { PlaceTerms } from '../../network/even-places/place-terms.ts'
import { clockOffsetOf } from '../../network/membership/presence/clock-offset.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import type { CaptureCopiesNeeds } from '../../network/replication/captures/capture-copies.ts'
import { ProbationWatch } from '../../network/screening/probation-watch.ts'
import type { Log } from '../../platform/log.ts'
import { isBucketAddress } from '../../platform/storage/bucket.ts'
import type { Store } from '../../store/store.ts'
import type { Platform } from '../platform.ts'
import { type HomePlacesOptions, openHomePlaces } from '../ring/home-places.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { CopiedUrl } from '../search/search-network.ts'
import type { DiskShare } from '../share/disk-share.ts'
import { compactShare, deadShareFor } from '../share/share-compaction.ts'
import { ShareGuard } from '../share/share-guard.ts'
import { type OpenAudits, type OpenAuditsOptions, openAuditScores, openAudits } from './audits.ts'
import { type OpenCaptureCopies, openCaptureCopies } from './capture-copies.ts'
import { type OpenEvenPlaces, openEvenPlaces } from './even-places.ts'
import { type OpenKnownContent, openKnownContent } from './known-content.ts'

interface Needs {
  readonly platform: Platform
  readonly store: Store
  readonly ring: RingPeer
  readonly share: DiskShare
  readonly log: Log
  /** What the crawl knows of leases and peers; nothing before this peer crawls. */
  readonly crawling: Required<Pick<CaptureCopiesNeeds, 'hasLease' | 'crawls' | 'participants'>>
}

export interface KeptCopiesOptions extends HomePlacesOptions {
  readonly copiesMin: number
  /** Bytes a second for repair. */
  readonly repairRate: number
  /** Of copies of others; without it nobody is asked. */
  readonly audits?: OpenAuditsOptions | undefined
  /** When places are taken and given up, so that all keep about as much; without, this peer keeps those that it has. */
  readonly evenPlaces?: Partial<PlaceTerms> | undefined
  /** A volume is compacted when more than this part of it is dead and the share fills up. */
  readonly deadShare: number
}

export interface KeptCopies {
  readonly places: RingPlaces
  readonly copies: OpenCaptureCopies
  readonly contents: OpenKnownContent
  readonly audits: OpenAudits
  readonly newcomers: ProbationWatch
  readonly evenPlaces: OpenEvenPlaces
  /** Told of each copy that comes from another peer. */
  onTaken(listener: (url: CopiedUrl) => void): void
  /** Begins nothing of its own any more; whoever asks is answered. */
  stop(): Promise<void>
  /** When nothing is crawled any more. Others may go on asking: `closeMaps` is for when they do not. */
  close(): Promise<void>
  closeMaps(): Promise<void>
}

/** What a peer on probation keeps; undefined for one that has places. */
function spareArcOf(ring: RingPeer, places: RingPlaces) {
  const place = ring.isSpare ? ring.firstPlaceOf(ring.peer) : undefined
  return place === undefined ? undefined : places.arcUpTo(place)
}

/** Answers others from now on. */
export async function openKeptCopies(needs: Needs, options: KeptCopiesOptions): Promise<KeptCopies> {
  const { platform, store, ring, share, log } = needs
  const { clock, random, keyValues } = platform
  const { services } = ring
  const folder = join(options.home, 'network')
  for (const { path } of (await store.stat()).volumes) if (!isBucketAddress(path)) share.count(dirname(path))
  const places = await openHomePlaces({ platform, ring, log }, options)
  const compact = (isFull: boolean, triedBytes: number | undefined, signal: AbortSignal) =>
    compactShare(store, { deadShare: deadShareFor(isFull, options.deadShare), triedBytes, signal })
  const guard = new ShareGuard({ share, ring: ring.taken, compact, clock, log })
  const workers = platform.threads.copies()
  const { scores, probation, close: closeScores } = await openAuditScores(platform, folder)
  const whenTaken: ((url: CopiedUrl) => void)[] = []
  const copies = await openCaptureCopies(
    {
      ...{ store, services, places: countedPlaces(places, scores), clock, random, log, workers },
      ...needs.crawling,
      clockOffsetMs: () => clockOffsetOf(ring.view()),
      spareArc: () => spareArcOf(ring, places),
      taken: (url) => {
        for (const tell of whenTaken) tell(url)
      },
      whenDamaged: (sender) => ring.faults.note('malformed', 'replica', sender, new Error('a wrong capture')),
    },
    {
      copies: options.copies,
      copiesMin: options.copiesMin,
      ratePerSecond: () => options.repairRate,
      isShortOfRoom: () => guard.isShort,
    },
  )
  const newcomers = new ProbationWatch({
    ...{ records: probation, members: ring.members, scores, places, log, clock },
    placeOf: (peer) => ring.firstPlaceOf(peer),
  })
  const audits = openAudits(
    { ...platform, store, services, places, copies, scores, log, newcomers },
    options.audits ?? { bytesPerSecond: 0 },
  )
  const contentsMap = await keyValues.open(join(folder, 'contents'), { hasJournal: true })
  const { copiesMin } = options
  const contents = openKnownContent(
    { store, services, places, keyValue: contentsMap, clock, log },
    { copiesMin },
  )
  const evenPlaces = openEvenPlaces(
    { platform, store, ring, places, copies, log, isShortOfRoom: () => guard.isShort },
    { replicas: options.copies, terms: options.evenPlaces },
  )
  guard.start()
  return {
    ...{ places, copies, contents, audits, newcomers, evenPlaces },
    onTaken: (listener) => {
      whenTaken.push(listener)
    },
    stop: async () => {
      await evenPlaces.close()
      await newcomers.close()
      await guard.close()
      await audits.close()
    },
    close: async () => {
      await contents.close()
      await copies.close()
      places.close()
    },
    closeMaps: async () => {
      await workers.close()
      await contentsMap.close()
      await closeScores()
    },
  }
}
