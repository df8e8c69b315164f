// The store: keeps every version of every page once, in plain WARC, and loses nothing.
//
// A folder with volumes (WARC files), an index (an ordered map) and a format mark. This file opens one and joins its
// parts; each part says what it does. Nothing here knows of peers, crawls or HTTP servers.

import { join } from 'node:path'
import type { Digest } from '../record/digest.ts'
import type { Url } from '../record/url.ts'
import type { Compression } from '../record/warc/compression.ts'
import type { Clock } from '../world/clock.ts'
import type { Compressor } from '../world/compressor.ts'
import type { Disk } from '../world/disk.ts'
import type { KeyValues } from '../world/key-value.ts'
import { type Log, silentLog } from '../world/log.ts'
import type { Random } from '../world/random.ts'
import { type Answer, Answers } from './answer.ts'
import { AnswerHeads } from './answer-heads.ts'
import type { Capture, KeepOptions, NewCapture, Receipt } from './capture.ts'
import { Compaction, type CompactOptions, type CompactReport } from './compaction.ts'
import { ContentCache } from './content-cache.ts'
import { type ContentDigest, sha256Digest } from './content-digest.ts'
import type { ContentKey } from './content-key.ts'
import { ContentMatching } from './content-matching.ts'
import { ContentReading } from './content-reading.ts'
import { Contents, type LargeContent, type PutOptions } from './contents.ts'
import { type CaptureCopy, Copying, type TakeOutcome } from './copying/copying.ts'
import { DeltaMaking } from './delta-making.ts'
import { type Export, Exporting, type ExportOptions } from './export/exporting.ts'
import { RecordExport } from './export/record-export.ts'
import { Finding, type ScanOptions, type Selection, type TimeRange } from './finding.ts'
import { FolderLeaving, type MoveOffOptions } from './folder-leaving.ts'
import { checkFormat } from './format-mark.ts'
import { DeltaUndoing } from './import/delta-undoing.ts'
import { ImportLog } from './import/import-log.ts'
import type { ImportResult } from './import/import-result.ts'
import { Importing, type ImportOptions } from './import/importing.ts'
import { RecordTaking } from './import/record-taking.ts'
import { Settling } from './import/settling.ts'
import type { RandomAccess } from './import/source.ts'
import { ClosableMap } from './index/closable-map.ts'
import { checkIndex } from './index/index-check.ts'
import { Ledger } from './index/ledger.ts'
import { SharedChanges } from './index/shared-changes.ts'
import { StoreIndex } from './index/store-index.ts'
import { Keeping } from './keeping.ts'
import { Quarantine } from './quarantine.ts'
import { hasVolumes } from './rebuild.ts'
import { RecordCheck } from './record-check.ts'
import { RecordMaking } from './record-making.ts'
import { RecordNaming } from './record-naming.ts'
import { RecordReading } from './record-reading.ts'
import { RecordRecoding } from './record-recoding.ts'
import { Relocation } from './relocation.ts'
import { RelocationRoom } from './relocation-room.ts'
import { Repair, type RepairSource } from './repair.ts'
import { ResidentFinding } from './residents.ts'
import { Scrub, type ScrubOptions, type ScrubReport } from './scrub.ts'
import { Spool } from './spool.ts'
import { StoreError } from './store-error.ts'
import { type StoreStat, statOf } from './store-stat.ts'
import { TakedownList } from './takedown-list.ts'
import { TakedownTraces } from './takedown-traces.ts'
import { type Takedown, Takedowns, type TakedownTarget } from './takedowns.ts'
import { Turns } from './turns.ts'
import { VolumeEmptying } from './volume-emptying.ts'
import { volumeCompression } from './volumes/volume-compression.ts'
import { VolumeDictionaries } from './volumes/volume-dictionaries.ts'
import { VolumeFiles } from './volumes/volume-files.ts'
import { VolumeMaker } from './volumes/volume-maker.ts'
import { Volumes } from './volumes/volumes.ts'

export interface StoreNeeds {
  clock: Clock
  random: Random
  disk: Disk
  keyValues: KeyValues
  compressor: Compressor
  log?: Log
  /** Told when all is closed, to let the folder go. */
  whenClosed?: () => Promise<void>
}

export interface StoreOptions {
  /** zstd comes with a dictionary for heads, unless another is given, or an empty one for none. */
  compression: Compression
  volumeBytesMax: number
  reserveBytes: number
  indexBytesMax: number
  /** 0: keep no deltas. */
  deltaChainMax: number
  /** In volume names. */
  host: string
  software: string
  cacheBytes?: number
  /** Where a scrub gets the good bytes of a damaged content from. */
  repair?: RepairSource['content']
  /** Where a scrub gets the good records of a damaged capture from, as they are stored here. */
  repairRecords?: RepairSource['records']
  /** Records that a scrub remembers at once, about 300 bytes each; fewer mean more walks over the index. */
  scrubResidentsMax?: number
  /** For tests that want digests to collide. */
  digest?: ContentDigest
}

const scrubResidentsMaxDefault = 200_000
const cacheBytesDefault = 32 * 1024 * 1024

export class Store {
  readonly folder: string
  readonly #parts: Parts
  #closing: Promise<void> | undefined

  private constructor(folder: string, parts: Parts) {
    this.folder = folder
    this.#parts = parts
  }

  /** Opens the store in this folder, made when it is empty. After a crash, what was not acknowledged is cut off. */
  static async open(needs: StoreNeeds, folder: string, options: StoreOptions): Promise<Store> {
    await checkFormat(needs, folder)
    const map = await needs.keyValues.open(join(folder, 'index'), {
      sizeBytesMax: options.indexBytesMax,
      hasJournal: true,
    })
    try {
      const parts = joined(needs, folder, new StoreIndex(new ClosableMap(map), folder), options)
      if (parts.index.folders().size === 0) await startEmpty(parts, join(folder, 'volumes'))
      await parts.volumes.recover()
      await parts.takedowns.finish()
      return new Store(folder, parts)
    } catch (error) {
      await map.close()
      throw error
    }
  }

  /** Keeps a capture. Resolves when it is durable: on disk and in the index, safe from a power cut. */
  append(capture: NewCapture, options?: KeepOptions): Promise<Receipt> {
    return this.#open.keeping.keep(capture, options)
  }

  /** The versions of a URL, oldest first, or newest first with `reverse`. */
  versions(url: Url, options?: TimeRange & { reverse?: boolean; limit?: number }): Iterable<Capture> {
    return this.#open.finding.versions(url, options)
  }

  newestNotNewer(url: Url, atMs: number): Capture | undefined {
    return this.#open.finding.newestNotNewer(url, atMs)
  }

  nearest(url: Url, atMs: number): Capture | undefined {
    return this.#open.finding.nearest(url, atMs)
  }

  scan(selection: Selection, options?: ScanOptions): Iterable<Capture> {
    return this.#open.finding.scan(selection, options)
  }

  read(capture: Capture): Promise<Answer> {
    return this.#open.answers.read(capture)
  }

  /** Keeps bytes by themselves. */
  put(content: Uint8Array | LargeContent, options?: PutOptions): Promise<ContentKey> {
    return this.#open.contents.put(content, options)
  }

  /** The bytes of a content, verified as they flow. */
  get(key: ContentKey): AsyncIterable<Uint8Array> {
    return this.#open.reading.chunks(key)
  }

  delete(key: ContentKey): Promise<void> {
    return this.#open.contents.delete(key)
  }

  /** Which of these payloads are here: send only the others. */
  has(digests: readonly Digest[]): boolean[] {
    const { matching } = this.#open
    return digests.map((digest) => matching.holding(digest) !== undefined)
  }

  /** A capture for another store, as it is stored or, with `isWhole`, with its payload. undefined when it is not here. */
  give(cursor: string, options?: { isWhole?: boolean }): Promise<CaptureCopy | undefined> {
    return this.#open.copying.give(cursor, options)
  }

  /** Takes what another store gave. Resolves when it is durable. */
  take(copy: CaptureCopy): Promise<TakeOutcome> {
    return this.#open.copying.take(copy)
  }

  /** Takes in an archive (WARC, ARC, WACZ). Goes on where an earlier import of the same bytes was cut off. */
  import(source: RandomAccess, options?: ImportOptions): Promise<ImportResult> {
    return this.#open.importing.import(source, options)
  }

  /** Captures as a `.warc.gz` or `.wacz` file, in chunks. */
  export(options: ExportOptions): Export {
    return this.#open.exporting.export(options)
  }

  takedown(target: TakedownTarget, reason = ''): Promise<number> {
    return this.#open.takedowns.add(target, reason)
  }

  takedowns(): Iterable<Takedown> {
    return this.#open.takedowns.all()
  }

  /** Another number after every change of what is kept. */
  get revision(): number {
    return this.#open.index.revision
  }

  isTakenDown(url: Url): boolean {
    return this.#open.takedowns.hides(url.surt, url.site)
  }

  /** Gives the room of dead bytes back, and ends those that were taken down. */
  compact(options?: CompactOptions): Promise<CompactReport> {
    return this.#open.compaction.compact(options)
  }

  /** Moves everything off a volume folder that is to go, and forgets the folder. */
  moveOff(folder: string, options?: MoveOffOptions): Promise<void> {
    return this.#open.leaving.moveOff(folder, options)
  }

  /** Reads everything that lives, finds what is damaged, and repairs it where that can be done. */
  scrub(options?: ScrubOptions): Promise<ScrubReport> {
    return this.#open.scrub.run(options)
  }

  /** What is wrong with the index, a sentence each. Nobody may write meanwhile. */
  checkIndex(): Promise<string[]> {
    return checkIndex(this.#open)
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
    const { volumes, files, index } = this.#parts
    await volumes.close()
    await files.close()
    await index.close()
    await this.#parts.whenClosed?.()
  }

  get #open(): Parts {
    if (this.#closing !== undefined) throw new StoreError('store-closed', 'The store is closed.')
    return this.#parts
  }
}

/** An index without folders is new. Volumes that it does not know would be lost to view, so it refuses to be theirs. */
async function startEmpty({ disk, volumes }: Parts, folder: string): Promise<void> {
  if (await hasVolumes(disk, folder)) {
    throw new StoreError(
      'store-index-missing',
      `${folder} holds volumes, but their index is gone. Make it anew with: polyhistor store rebuild`,
    )
  }
  await volumes.setFolder(folder, 'writable')
}

type Parts = ReturnType<typeof joined>

function joined(needs: StoreNeeds, folder: string, index: StoreIndex, options: StoreOptions) {
  const { clock, random, disk, compressor, log = silentLog } = needs
  const { host, software, volumeBytesMax, reserveBytes, digest = sha256Digest } = options
  const compression = volumeCompression(options.compression)
  const ledger = new Ledger(index)
  const files = new VolumeFiles({ index, disk })
  const maker = new VolumeMaker({ index, disk, clock, random }, { compression, host, software })
  const volumes = new Volumes({ index, disk, log, maker }, { volumeBytesMax, reserveBytes })
  const dictionaries = new VolumeDictionaries({ files })
  const records = new RecordReading({ files, dictionaries })
  const cache = new ContentCache(options.cacheBytes ?? cacheBytesDefault)
  const quarantine = new Quarantine({ index, log })
  const reading = new ContentReading({ index, records, cache, digest }, (key, location, cause) =>
    quarantine.report(key, location, cause),
  )
  const list = new TakedownList({ disk }, join(folder, 'takedowns.jsonl'))
  const traces = new TakedownTraces({ index, ledger, clock })
  const takedowns = new Takedowns({ index, ledger, clock, list, traces })
  const finding = new Finding({ index, takedowns })
  const matching = new ContentMatching({ index, reading })
  const making = new RecordMaking({ compressor, random }, compression)
  const recoding = new RecordRecoding({ files, records, dictionaries, making })
  const naming = new RecordNaming({ records })
  const deltas = new DeltaMaking(
    { index, finding, reading, making, compressor },
    { chainMax: options.deltaChainMax },
  )
  const turns = new Turns()
  const shared = { index, ledger, volumes, matching, making, cache, turns, digest, clock, random }
  const repair = new Repair(
    { ...shared, recoding, log },
    { content: options.repair, records: options.repairRecords },
  )
  const keeping = new Keeping({ ...shared, repair, quarantine, deltas, finding, naming, takedowns })
  const contents = new Contents({ ...shared, repair, changes: new SharedChanges({ index }) })
  const spool = new Spool({ disk }, join(folder, 'spool'))
  const deltasUndone = new DeltaUndoing({ finding, reading, digest })
  const taking = new RecordTaking({ keeping, contents, matching, deltas: deltasUndone })
  const importing = new Importing({
    log: new ImportLog({ index }),
    taking,
    settling: new Settling({ index, ledger, finding, matching, records }),
    spool,
    digest,
  })
  const heads = new AnswerHeads(options.cacheBytes === 0 ? 0 : undefined)
  const answers = new Answers({ index, finding, matching, records, reading, heads })
  const exporting = new Exporting(
    {
      index,
      finding,
      matching,
      files,
      records,
      reading,
      naming,
      answers,
      compressor,
      digest,
      spool,
      clock,
      random,
    },
    software,
  )
  const copying = new Copying({
    finding,
    files,
    records,
    dictionaries,
    exporting: new RecordExport({ files, records, reading, compressor, digest }),
    making,
    matching,
    taking,
    spool,
    digest,
  })
  const relocation = new Relocation({ ...shared, files, records, reading, recoding, takedowns })
  const emptying = new VolumeEmptying({ index, disk, files, relocation, clock, log })
  const room = new RelocationRoom({ index, disk })
  const compaction = new Compaction({ index, room, volumes, emptying, traces, turns })
  const leaving = new FolderLeaving({ index, room, volumes, emptying, turns })
  const check = new RecordCheck({ files, records, reading })
  const residents = new ResidentFinding(
    { index, clock },
    options.scrubResidentsMax ?? scrubResidentsMaxDefault,
  )
  const scrub = new Scrub({ index, files, finding: residents, check, quarantine, repair, clock, log })
  return {
    index,
    ledger,
    files,
    volumes,
    records,
    reading,
    takedowns,
    finding,
    matching,
    keeping,
    contents,
    answers,
    importing,
    exporting,
    copying,
    compaction,
    leaving,
    scrub,
    whenClosed: needs.whenClosed,
    disk,
    clock,
    log,
  }
}
