// Reading on a network: one archive over our own store and all other peers', and answers to other peers' reads.
//
// Sites that this peer is complete for are read from its store. All else is read from its holders, and from the store where it
// has a part. A capture that is here is read here; when it turns out to be damaged, from another peer. Takedowns are applied to
// whatever other peers send.

import type { ArchivedCapture, ArchiveSelection, CaptureRecord, ExportRequest } from '../../model/archive.ts'
import { firstOf, type Listed } from '../../model/listed.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { Url } from '../../model/url/url.ts'
import { CaptureRepair } from '../../network/remote-reads/archive/capture-repair.ts'
import { fetchedRecords } from '../../network/remote-reads/archive/fetched-records.ts'
import { FirstCaptureSettling } from '../../network/remote-reads/archive/first-capture-settling.ts'
import { cursorPlace, networkCursor } from '../../network/remote-reads/archive/network-cursor.ts'
import {
  type ExportSource,
  type NetworkExportNeeds,
  networkExport,
} from '../../network/remote-reads/archive/network-export.ts'
import {
  canBeReadElsewhere,
  payloadWithFallback,
} from '../../network/remote-reads/archive/payload-with-fallback.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { type ReadingSplits, StoreView } from '../../network/remote-reads/archive/store-view.ts'
import { NetworkSites } from '../../network/remote-reads/network-sites.ts'
import {
  type Holders,
  type ListRequest,
  NetworkView,
  type NetworkViewOptions,
} from '../../network/remote-reads/network-view.ts'
import { ReadHandler } from '../../network/remote-reads/read-handler.ts'
import { ReadingError } from '../../network/remote-reads/reading-error.ts'
import type { NetworkCapture } from '../../network/remote-reads/view.ts'
import { CallFailed } from '../../platform/calls/call-errors.ts'
import type { CallService, CallServices } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { Log } from '../../platform/log.ts'
import type { PeerId, Pieces } from '../../platform/network/network.ts'
import type { Random } from '../../platform/random.ts'
import type { Disk } from '../../platform/storage/disk.ts'
import type { Capture } from '../../store/capture.ts'
import type { Export } from '../../store/export/exporter.ts'
import { Spool } from '../../store/spool.ts'
import type { Store } from '../../store/store.ts'
import type { RepairSource } from '../../store/upkeep/repair.ts'
import { SiteNames } from '../../ui/site-names.ts'
import { version } from '../../version.ts'
import { RecentHolders } from './recent-holders.ts'

/** The ring, as far as readers need it. */
export interface ReadingPlaces {
  readonly self: PeerId
  lookup(key: RingKey): Promise<{
    readonly owner: { readonly position: RingKey }
    readonly replicas: readonly { readonly peer: PeerId }[]
  }>
  /** Who would keep a key if everybody were there. */
  fullSet(key: RingKey): readonly PeerId[]
  /** Everybody known to be on the ring now, without ourselves. */
  peers(): readonly PeerId[]
  /** With those who are missed and not gone for good, without ourselves. */
  members?(): readonly PeerId[]
  /** It is near enough to keep the key, or to have kept it. */
  mayHaveKept?(peer: PeerId, key: RingKey, atMs: number): boolean
  /** It came to the network only lately. */
  isNewcomer?(peer: PeerId): boolean
  readonly splits?: ReadingSplits | undefined
}

interface NetworkReadingNeeds {
  readonly store: Store
  readonly services: CallServices
  readonly places: ReadingPlaces
  /** This peer keeps all there is at this place of the ring. */
  isComplete(key: RingKey): boolean
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly compressor: Compressor
  readonly log: Log
  /** For what is fetched for exports and too large for memory. */
  readonly spoolFolder: string
  roundTripMs?(peer: PeerId): number | undefined
  /** What is being listed may lack something. */
  whenPartial?(): void
}

export interface NetworkReading {
  readonly archive: ReadableArchive
  readonly sites: Pick<NetworkSites, 'all'>
  /** Resolves when what readers found damaged here has been mended, or cannot be. */
  mended(): Promise<void>
}

const software = `polyhistor/${version}`
/** What is larger is not mended in memory. */
const mendedBytesMax = 64 * 1024 * 1024
/** Peers that are asked besides those who should have it. */
const furtherMax = 12
const splitSitesMax = 4

export function openNetworkReading(
  needs: NetworkReadingNeeds,
  options: Partial<NetworkViewOptions> = {},
): NetworkReading {
  const { store, clock, random, disk, compressor, log, places } = needs
  const here = new StoreView({
    store,
    isComplete: (key) => !mending.isReplacing && needs.isComplete(key),
    splits: places.splits,
    tellUnsure: (capture) => seconds.note(capture.url, capture.capturedAtMs),
  })
  const handler = new ReadHandler({ view: here, clock })
  const service = needs.services.service('reading')
  service.answer((from, bytes, { signal }) => handler.answer(from, bytes, signal))
  const holders = new RecentHolders({ clock, places })
  const view = new NetworkView(
    {
      clock,
      calls: withOurselves(service, places, handler),
      holders: (key) => holdersOf(holders, places, key),
      further: (key) => furtherHolders(places, key),
      roundTripMs: (peer) => (peer === places.self ? 0 : needs.roundTripMs?.(peer)),
      whenPartial: () => needs.whenPartial?.(),
      isNewcomer: (peer) => peer !== places.self && (places.isNewcomer?.(peer) ?? false),
      mayKeep: (peer, key) => places.mayHaveKept?.(peer, key, clock.nowMs()) ?? false,
      peerCount: () => 1 + (places.members?.() ?? places.peers()).length,
      reportWrong: (peer, { url, recordId }) =>
        log.warn({ peer, url, recordId }, 'A peer gave wrong bytes; another is asked'),
    },
    options,
  )
  const seconds = new FirstCaptureSettling({ store, votes: view.votes, clock })
  const exporting = {
    spool: new Spool({ disk }, needs.spoolFolder),
    compressor,
    random,
    clock,
    signing: store,
  }
  const mending = new CaptureRepair({
    store,
    log,
    fetch: (capture) =>
      view.records(networkCaptureOf(capture), { isWhole: true, without: [places.self] }, (chunks) =>
        fetchedRecords(exporting, chunks, capture.content?.digest),
      ),
  })
  store.repairFrom(goodBytes(view, places, mending))
  return {
    archive: new NetworkArchive({ store, here, view, places, exporting, mending }),
    sites: new NetworkSites({
      clock,
      calls: needs.services.service('siteNames'),
      own: new SiteNames({
        source: store,
        monotonicMs: () => clock.monotonicMs(),
        breathe: () => clock.sleep(0),
      }),
      peers: () => places.peers(),
      isHidden: (site) => store.hides(`http://${site}/`),
    }),
    mended: () => mending.waitUntilDone(),
  }
}

/** Whole payloads and records of other peers, for the store to repair its own with. */
function goodBytes(view: NetworkView, { self }: ReadingPlaces, mending: CaptureRepair): RepairSource {
  return {
    content: async (_, capture) => {
      if (capture === undefined || capture.payloadBytes > mendedBytesMax) return undefined
      const { payload } = await view.read(networkCaptureOf(capture), [self])
      return collected(payload())
    },
    records: (capture) => {
      // Should the others' records not be the same to the byte, it is taken anew.
      mending.enqueue(capture)
      return view.records(networkCaptureOf(capture), { isWhole: false, without: [self] }, (chunks) =>
        collected(chunks, mendedBytesMax),
      )
    },
  }
}

function networkCaptureOf(capture: Capture): NetworkCapture {
  return { ...capture, cursor: networkCursor(capture) }
}

/** undefined when there are more. */
async function collected(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    length += chunk.length
    if (length > bytesMax) return undefined
  }
  return Buffer.concat(parts)
}

/** A site that is split lies at several places. */
async function holdersOf(recent: RecentHolders, { splits }: ReadingPlaces, key: RingKey): Promise<Holders> {
  const own = await recent.of(key)
  if (!splits?.isSplitWithin(key, key)) return own
  const parts = await Promise.all(splits.placesNear(key, 1).map((place) => recent.of(place)))
  return { peers: [...new Set([own, ...parts].flatMap(({ peers }) => peers))], upTo: own.upTo }
}

/** Who may have what lies at a place, besides those who should: first those who keep parts of a site that is split. */
export function furtherHolders(places: ReadingPlaces, key: RingKey): PeerId[] {
  const parts = places.splits?.placesNear(key, splitSitesMax) ?? []
  const keepers = new Set(parts.flatMap((place) => places.fullSet(place)))
  const others = [places.self, ...places.fullSet(key), ...places.peers()].filter((peer) => !keepers.has(peer))
  return [...keepers, ...others.slice(0, furtherMax)]
}

/** Our own view is asked like the others', without a way to go. */
function withOurselves(
  service: CallService,
  { self }: ReadingPlaces,
  handler: ReadHandler,
): Pick<CallService, 'call'> {
  return {
    call: (peer, bytes, options) =>
      peer === self ? handler.answer(self, whole(bytes)) : service.call(peer, bytes, options),
  }
}

function whole(bytes: Pieces): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes)
}

interface Parts {
  readonly store: Store
  readonly here: StoreView
  readonly view: NetworkView
  readonly places: ReadingPlaces
  readonly exporting: Omit<NetworkExportNeeds, 'source'>
  readonly mending: CaptureRepair
}

class NetworkArchive implements ReadableArchive, ExportSource {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  versions(
    url: Url,
    options: TimeRange & { reverse?: boolean; limit?: number } = {},
  ): Listed<ArchivedCapture> {
    const { here, view } = this.#parts
    if (this.isTakenDown(url)) return []
    return here.isCompleteAt(url.ringKey) ? here.versions(url, options) : view.versions(url, options)
  }

  async nearest(url: Url, atMs: number): Promise<ArchivedCapture | undefined> {
    const [before, after] = await Promise.all([
      firstOf(this.versions(url, { toMs: atMs + 1, reverse: true, limit: 1 })),
      firstOf(this.versions(url, { fromMs: atMs + 1, limit: 1 })),
    ])
    if (before === undefined || after === undefined) return before ?? after
    return atMs - before.capturedAtMs <= after.capturedAtMs - atMs ? before : after
  }

  scan(
    selection: ArchiveSelection,
    options: TimeRange & { after?: string | undefined; limit?: number | undefined } = {},
  ): Listed<ArchivedCapture> {
    const { here, view } = this.#parts
    if (options.after !== undefined) cursorPlace(options.after)
    if (selection.kind === 'all') return this.#shown(options, (request) => view.all(request))
    return here.isComplete(selection)
      ? here.list(selection, options)
      : this.#shown(options, (request) => view.list(selection, request))
  }

  everything(selection: ArchiveSelection): AsyncIterable<NetworkCapture> {
    const { view } = this.#parts
    return this.#shown({ isWhole: true }, (request) =>
      selection.kind === 'all' ? view.all(request) : view.list(selection, request),
    )
  }

  isTakenDown(url: Url): boolean {
    return this.#parts.store.isTakenDown(url)
  }

  async read(capture: Pick<ArchivedCapture, 'cursor'>): Promise<CaptureRecord> {
    const { store, here, view, places, mending } = this.#parts
    // Readers hand back what they were given: captures of a view.
    const wanted = capture as NetworkCapture
    const elsewhere = () => view.read(wanted, [places.self])
    const found: Capture | undefined = here.ownOf(wanted)
    if (found === undefined) return elsewhere()
    try {
      const { head, sizeBytes, payload } = await store.read(found)
      const instead = () => {
        mending.enqueue(found)
        return elsewhere()
      }
      return { head, sizeBytes, payload: () => payloadWithFallback(payload(), instead) }
    } catch (error) {
      if (!canBeReadElsewhere(error)) throw error
      mending.enqueue(found)
      return elsewhere().catch((failure: unknown) => {
        throw isNowhere(failure) ? error : failure
      })
    }
  }

  export(request: ExportRequest & { readonly signal?: AbortSignal }): Export {
    const { store, here, exporting } = this.#parts
    const { selection } = request
    if (request.captures === undefined && selection.kind !== 'all' && here.isComplete(selection))
      return store.export({ ...request, captures: undefined })
    return networkExport({ ...exporting, source: this }, request, software)
  }

  async records<T>(
    capture: NetworkCapture,
    isWhole: boolean,
    take: (chunks: AsyncIterable<Uint8Array>) => Promise<T | undefined>,
  ): Promise<T> {
    const { here, view, places } = this.#parts
    if (here.find(capture.cursor) !== undefined) {
      try {
        const taken = await take(await here.records(capture.cursor, isWhole))
        if (taken !== undefined) return taken
      } catch (error) {
        if (!canBeReadElsewhere(error)) throw error
      }
    }
    return view.records(capture, { isWhole, without: [places.self] }, take)
  }

  revision(url: Url): number | undefined {
    const { store, here } = this.#parts
    return here.isCompleteAt(url.ringKey) ? store.revision : undefined
  }

  /** Others may not have heard yet that something was taken down. What is hidden does not count: a list that is shorter than it
   * was to be has come to its end. */
  async *#shown(
    request: ListRequest,
    list: (request: ListRequest) => AsyncIterable<NetworkCapture>,
  ): AsyncGenerator<NetworkCapture> {
    let { after, limit: left = Number.POSITIVE_INFINITY } = request
    for (let wanted = left, given = wanted; given === wanted && left > 0; ) {
      wanted = left
      given = 0
      for await (const capture of list({ ...request, after, limit: wanted })) {
        given++
        after = capture.cursor
        if (this.#parts.store.hides(capture.url)) continue
        yield capture
        left--
      }
    }
  }
}

/** Everybody who may have it was asked, and said that it has not: waiting for it would be in vain. */
function isNowhere(failure: unknown): boolean {
  if (!(failure instanceof ReadingError) || failure.code !== 'reading-unavailable') return false
  return failure.cause === undefined || failure.cause instanceof CallFailed
}
