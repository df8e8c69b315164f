// The store: keeps every version of every page once, in plain WARC, and loses nothing.
//
// A folder with volumes (WARC files), an index (an ordered map) and a format mark. This file opens one and is the
// face of its parts (store-parts.ts); each of those says what it does. Nothing here knows of peers, crawls or HTTP servers.

import { join } from 'node:path'
import { unlessFails } from '../errors.ts'
import type { Compression } from '../formats/warc/compression/compression.ts'
import type { Digest } from '../model/digest.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { Url } from '../model/url/url.ts'
import type { SideWork } from '../platform/side-work.ts'
import { isBucketAddress } from '../platform/storage/bucket.ts'
import type { CaptureSigner } from '../proof/capture-signer.ts'
import type { LeafQueue } from '../proof/log/capture-log.ts'
import type { PackageSigner } from '../proof/package-signature.ts'
import type { Capture, NewCapture, Receipt } from './capture.ts'
import type { TellUnsure } from './capture-indexing.ts'
import type { CopyOptions } from './capture-writer.ts'
import type { ContentKey } from './contents/content-key.ts'
import type { LargeContent, PutOptions } from './contents/contents.ts'
import type { CaptureRoster } from './copying/capture-roster.ts'
import type {
  CaptureCopy,
  CopyOffer,
  GiveOptions,
  ReceivedCopy,
  ReceiveOutcome,
  TakeOptions as TakeCopyOptions,
} from './copying/copying.ts'
import type { MakeSums, Sums } from './copying/summing.ts'
import type { CopyWorkers } from './copying/whole-copies.ts'
import type { Elsewhere } from './elsewhere/elsewhere.ts'
import type { Export, ExportOptions } from './export/exporter.ts'
import { noteFolders } from './folder-notes.ts'
import { checkFormat } from './format-mark.ts'
import type { ImportResult } from './import/import-result.ts'
import type { ImportOptions } from './import/importer.ts'
import type { RandomAccess } from './import/source.ts'
import { ClosableMap } from './index/closable-map.ts'
import { checkIndex } from './index/index-check.ts'
import { indexTables, StoreIndex } from './index/store-index.ts'
import type { FolderEntry } from './index/volume-entry.ts'
import type { Answer } from './reading/answer.ts'
import { keyOfCursor, type ScanOptions, type Selection } from './reading/capture-finder.ts'
import type { CaptureProof } from './reading/capture-proofs.ts'
import { hasVolumes } from './rebuild/found-volumes.ts'
import { StoreError } from './store-error.ts'
import { joinParts, type StoreNeeds, type StoreOptions, type StoreParts } from './store-parts.ts'
import { type StoreStat, statOf } from './store-stat.ts'
import type { Takedown, TakedownOptions, TakedownTarget } from './takedowns/takedowns.ts'
import type { CompactOptions, CompactReport } from './upkeep/compaction.ts'
import type { DamagedPlace, Soundness } from './upkeep/damage-log.ts'
import type { MoveOffOptions } from './upkeep/folder-evacuation.ts'
import type { RepairSource } from './upkeep/repair.ts'
import type { ScrubOptions, ScrubReport, ScrubState } from './upkeep/scrub.ts'
import type { TransferOptions, TransferReport } from './upkeep/volume-transfer.ts'
import type { BucketTrouble } from './volumes/places/bucket-place.ts'
import type { Volumes } from './volumes/volumes.ts'

export type { StoreNeeds, StoreOptions } from './store-parts.ts'

export class Store {
  readonly folder: string
  /** Opened without writing anything, and for looking only: its disk is full or read-only. */
  readonly isReadOnly: boolean
  readonly #parts: StoreParts
  #closing: Promise<void> | undefined

  private constructor(folder: string, parts: StoreParts, isReadOnly: boolean) {
    this.folder = folder
    this.isReadOnly = isReadOnly
    this.#parts = parts
  }

  /** Opens the store in this folder, made when it is empty. After a crash, what was not acknowledged is cut off. */
  static async open(needs: StoreNeeds, folder: string, options: StoreOptions): Promise<Store> {
    await checkFormat(needs, folder)
    const map = await needs.keyValues.open(join(folder, 'index'), {
      sizeBytesMax: options.indexBytesMax,
      hasJournal: true,
      tables: indexTables,
    })
    try {
      const parts = joinParts(needs, folder, new StoreIndex(new ClosableMap(map), folder), options)
      if (parts.index.folders().size === 0) await startEmpty(parts, join(folder, 'volumes'))
      await parts.volumes.recover()
      await noteFolders(needs.disk, folder, parts.index.folders().values())
      await parts.takedowns.finish()
      return new Store(folder, parts, needs.isReadOnly === true)
    } catch (error) {
      await map.close()
      throw error
    }
  }

  /** From now on what is captured and imported here is signed. */
  signWith(signer: CaptureSigner): void {
    this.#open.signing.signWith(signer)
  }

  /** Signs the packages that captures are exported in; undefined where nothing is signed. */
  get packages(): PackageSigner | undefined {
    return this.#open.signing.packages
  }

  /** Signed captures that wait for the log. */
  get unlogged(): LeafQueue {
    return this.#open.leaves
  }

  /** Keeps a capture. Resolves when it is durable: on disk and in the index, safe from a power cut. */
  append(capture: NewCapture, options?: CopyOptions): Promise<Receipt> {
    return this.#open.captureWriter.keep(capture, options)
  }

  /** Newest first, of every URL that is filed there: for whoever knows the place of a capture and not its URL. */
  versionsAt(place: Pick<Url, 'ringKey' | 'surt'>, limit: number): Iterable<Capture> {
    return this.#open.finder.versionsAt(place, limit)
  }

  /** The versions of a URL, oldest first, or newest first with `reverse`. */
  versions(url: Url, options?: TimeRange & { reverse?: boolean; limit?: number }): Iterable<Capture> {
    return this.#open.finder.versions(url, options)
  }

  newestNotNewer(url: Url, atMs: number): Capture | undefined {
    return this.#open.finder.newestNotNewer(url, atMs)
  }

  nearest(url: Url, atMs: number): Capture | undefined {
    return this.#open.finder.nearest(url, atMs)
  }

  scan(selection: Selection, options?: ScanOptions): Iterable<Capture> {
    return this.#open.finder.scan(selection, options)
  }

  /** The first capture of each site, in the order of the ring. */
  sites(): Iterable<Capture> {
    return this.#open.finder.sites()
  }

  read(capture: Capture): Promise<Answer> {
    return this.#open.answers.read(capture)
  }

  /** Who signed it, and whether that holds. */
  proof(capture: Capture): Promise<CaptureProof> {
    return this.#open.proofs.of(capture)
  }

  /** Keeps bytes by themselves. */
  put(content: Uint8Array | LargeContent, options?: PutOptions): Promise<ContentKey> {
    return this.#open.contents.put(content, options)
  }

  /** The bytes of a content, verified as they flow. */
  get(key: ContentKey): AsyncIterable<Uint8Array> {
    return this.#open.contents.get(key)
  }

  delete(key: ContentKey): Promise<void> {
    return this.#open.contents.delete(key)
  }

  /** Which of these payloads are here: send only the others. */
  has(digests: readonly Digest[]): boolean[] {
    const { matcher } = this.#open
    return digests.map((digest) => matcher.isVisible(digest))
  }

  /** A capture for another store, as it is stored or, with `isWhole`, with its payload. undefined when it is not here. */
  give(cursor: string, options?: GiveOptions): Promise<CaptureCopy | undefined> {
    return this.#open.copying.give(cursor, options)
  }

  /** As `give`, for whoever wants to know first how much it is, and where to put it. */
  offer(cursor: string, options?: GiveOptions): CopyOffer | undefined {
    return this.#open.copying.offer(cursor, options)
  }

  /** Takes what another store gave. Resolves when it is durable. */
  take(copy: ReceivedCopy, options?: TakeCopyOptions): Promise<ReceiveOutcome> {
    return this.#open.copying.take(copy, options)
  }

  /** Told from now on of captures of one URL and second of which it is not known which was first. */
  whenUnsure(tell: TellUnsure): void {
    this.#open.entering.whenUnsure(tell)
  }

  /** Most holders say that of this URL and second the capture with this id was the first. */
  settleSecond(url: Url, capturedAtMs: number, recordId: string): Promise<void> {
    return this.#open.entering.settleSecond(url, capturedAtMs, recordId)
  }

  /** Digests over the nonce and what captures read as, to show that they are here; see copying/possession.ts. */
  possession(
    cursors: readonly (string | undefined)[],
    nonce: Uint8Array,
  ): Promise<(Uint8Array | undefined)[]> {
    return this.#open.possession.digests(cursors, nonce)
  }

  /** Some bytes of what a capture reads as, for audits; see copying/possession.ts. */
  stretch(cursor: string, at: number, bytesMax: number): Promise<Uint8Array | undefined> {
    return this.#open.possession.stretch(cursor, at, bytesMax)
  }

  /** From now on copies that come are checked in these threads. */
  checkCopiesIn(workers: CopyWorkers): void {
    this.#open.copying.checkIn(workers)
  }

  /** From now on another thread takes part when many contents are read at the same time. */
  readWith(side: SideWork): void {
    this.#open.loader.shareWith(side)
  }

  /** Forgets captures that others keep. Gives how many were here. */
  drop(cursors: readonly string[]): Promise<number> {
    return this.#open.dropping.drop(cursors)
  }

  /** The captures that are here, by keys that are the same on every peer. */
  get roster(): CaptureRoster {
    return this.#open.roster
  }

  /** Switches on sums over the captures: told of every change from now on. Once only. */
  sumUp<S extends Sums>(make: MakeSums<S>): Promise<S> {
    return this.#open.summing.switchOn(make)
  }

  /** Resolves when the sums cover what was there before them. */
  coverSums(sums: Sums, signal?: AbortSignal): Promise<void> {
    return this.#open.summing.cover(sums, signal)
  }

  /** What is held here for other peers, and what they keep for us. */
  get elsewhere(): Elsewhere {
    return this.#open.elsewhere
  }

  /** Takes in an archive (WARC, ARC, WACZ). Goes on where an earlier import of the same bytes was cut off. */
  import(source: RandomAccess, options?: ImportOptions): Promise<ImportResult> {
    return this.#open.importing.import(source, options)
  }

  /** Captures as a `.warc.gz` or `.wacz` file, in chunks. */
  export(options: ExportOptions): Export {
    return this.#open.exporting.export(options)
  }

  /** Hides at once; see takedowns.ts. Gives the number of captures that were to be seen before. */
  takedown(target: TakedownTarget, reason = '', options?: TakedownOptions): Promise<number> {
    return this.#open.takedowns.add(target, reason, options)
  }

  /** Brings back what a takedown hides, as long as that was not destroyed. Gives the number of captures that are seen again. */
  release(target: TakedownTarget): Promise<number> {
    return this.#open.takedowns.release(target)
  }

  takedowns(): Iterable<Takedown> {
    return this.#open.takedowns.all()
  }

  /** Of the records in its volumes. */
  get compression(): Compression {
    return this.#open.compression
  }

  /** Another number after every change of what is kept. */
  get revision(): number {
    return this.#open.index.revision
  }

  isTakenDown(url: Url): boolean {
    return this.#open.takedowns.hides(url)
  }

  /** The same of what a capture says its URL is; costs nothing where nothing was taken down. */
  hides(url: string): boolean {
    return this.#open.takedowns.hidesUrl(url)
  }

  /** Gives the room of dead bytes back, and ends those that were taken down and cannot be brought back any more. */
  compact(options?: CompactOptions): Promise<CompactReport> {
    return this.#open.compaction.compact(options)
  }

  /** Moves everything off a volume folder that is to go, and forgets the folder. */
  moveOff(folder: string, options?: MoveOffOptions): Promise<void> {
    return this.#open.leaving.moveOff(folder, options)
  }

  /** Moves closed volumes as they are to another of the store's places: a bucket, or a folder. */
  moveVolumes(to: string, options?: TransferOptions): Promise<TransferReport> {
    return this.#moveVolumes(to, options)
  }

  async #moveVolumes(to: string, options?: TransferOptions): Promise<TransferReport> {
    const { transfer, sentTakedowns } = this.#open
    const report = await transfer.move(to, options)
    await sentTakedowns.send()
    return report
  }

  /** What is wrong with a bucket, which is asked for it; undefined when nothing is, and of folders. */
  async bucketTrouble(path: string): Promise<BucketTrouble | undefined> {
    if (!isBucketAddress(path)) return undefined
    const place = this.#open.places.bucket(path)
    await unlessFails(place.look())
    return place.trouble
  }

  /** What was wrong with buckets when they were last asked. */
  bucketTroubles(): readonly (BucketTrouble & { readonly path: string })[] {
    return this.#buckets().flatMap(({ path }) => {
      const trouble = this.#open.places.bucket(path).trouble
      return trouble === undefined ? [] : [{ path, ...trouble }]
    })
  }

  #buckets(): FolderEntry[] {
    return [...this.#open.volumes.folders().values()].filter(({ path }) => isBucketAddress(path))
  }

  /** Closed volumes go to the first bucket that takes some, and what is left over from earlier moves goes. Where there is none,
   * it is only seen whether the others answer. */
  async uploadClosed(signal?: AbortSignal): Promise<TransferReport | undefined> {
    const { transfer, sentTakedowns } = this.#open
    const buckets = this.#buckets()
    await Promise.all(buckets.map(({ path }) => this.bucketTrouble(path)))
    const bucket = buckets.find(({ mode }) => mode === 'writable')
    if (bucket === undefined) return undefined
    await transfer.removeLeftovers()
    const report = await transfer.move(bucket.path, { signal })
    await sentTakedowns.send()
    return report
  }

  /** Reads everything that lives, finds what is damaged, and repairs it where that can be done. */
  scrub(options?: ScrubOptions): Promise<ScrubReport> {
    return this.#open.scrub.run(options)
  }

  /** The same for one capture and what it needs. */
  scrubCapture(cursor: string): Promise<ScrubReport> {
    return this.#open.scrub.capture(keyOfCursor(cursor))
  }

  /** Of the last scrub, or of one that was stopped. */
  get scrubState(): ScrubState {
    return this.#open.scrub.state
  }

  /** What was found rotten so far, and mended. */
  get soundness(): Soundness {
    return this.#open.damageLog.soundness
  }

  /** Something that a scrub could not repair is whole again. */
  mended(places: readonly DamagedPlace[]): Promise<void> {
    return this.#open.damageLog.mended(places)
  }

  /** From now on damage is repaired with bytes from there. */
  repairFrom(source: RepairSource): void {
    this.#open.repair.reach(source)
  }

  /** What is wrong with the index, a sentence each. Nobody may write meanwhile. */
  checkIndex(): Promise<string[]> {
    return checkIndex(this.#open)
  }

  /** Records are being written right now. */
  get isWriting(): boolean {
    return this.#open.volumes.isWriting
  }

  get volumes(): Volumes {
    return this.#open.volumes
  }

  stat(): Promise<StoreStat> {
    return statOf(this.#open, this.folder)
  }

  /** Whatever is still under way ends: done, or refused with 'store-closed'. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { volumes, files, places, index, copying, disk } = this.#parts
    await copying.close()
    await volumes.close()
    await noteFolders(disk, this.folder, index.folders().values())
    await files.close()
    await places.close()
    await index.close()
    await this.#parts.whenClosed?.()
  }

  get #open(): StoreParts {
    if (this.#closing !== undefined) throw new StoreError('store-closed', 'The store is closed.')
    return this.#parts
  }
}

/** An index without folders is new. Volumes that it does not know would be lost to view, so it refuses to be theirs. */
async function startEmpty({ disk, index, volumes }: StoreParts, folder: string): Promise<void> {
  if (await hasVolumes(disk, folder)) {
    throw new StoreError(
      'store-index-missing',
      `${folder} holds volumes, but their index is gone. Make it anew with: polyhistor store rebuild`,
    )
  }
  await index.change(() => index.noteNoOverflow())
  await volumes.setFolder(folder, 'writable')
}
