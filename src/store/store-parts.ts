// The parts of a store, joined: each gets what it needs of the others. store.ts is their face.

import { join } from 'node:path'
import type { Compression } from '../formats/warc/compression/compression.ts'
import type { Clock } from '../platform/clock.ts'
import type { Compressor } from '../platform/compressor.ts'
import { type Log, silentLog } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import type { OpenBucket } from '../platform/storage/bucket.ts'
import type { Disk } from '../platform/storage/disk.ts'
import type { KeyValues } from '../platform/storage/key-value.ts'
import { CaptureIndexing } from './capture-indexing.ts'
import { CaptureSigning } from './capture-signing.ts'
import { CaptureWriter } from './capture-writer.ts'
import { ContentCache } from './contents/content-cache.ts'
import { type ContentDigest, sha256Digest } from './contents/content-digest.ts'
import { ContentLoader } from './contents/content-loader.ts'
import { ContentMatcher } from './contents/content-matcher.ts'
import { Contents } from './contents/contents.ts'
import { Quarantine } from './contents/quarantine.ts'
import { CaptureRoster } from './copying/capture-roster.ts'
import { Copying } from './copying/copying.ts'
import { Dropping } from './copying/dropping.ts'
import { Possession } from './copying/possession.ts'
import { Summing } from './copying/summing.ts'
import { Elsewhere } from './elsewhere/elsewhere.ts'
import { ElsewhereLookup } from './elsewhere/elsewhere-lookup.ts'
import { HeldContents } from './elsewhere/held-contents.ts'
import { PayloadReader } from './elsewhere/payload-reader.ts'
import { References } from './elsewhere/references.ts'
import { Exporter } from './export/exporter.ts'
import { RecordExport } from './export/record-export.ts'
import { DeltaResolver } from './import/delta-resolver.ts'
import { ImportLog } from './import/import-log.ts'
import { Importer } from './import/importer.ts'
import { RecordImporter } from './import/record-importer.ts'
import { RevisitResolver } from './import/revisit-resolver.ts'
import { CaptureLeafQueue } from './index/leaf-queue.ts'
import { Ledger } from './index/ledger.ts'
import { SharedChanges } from './index/shared-changes.ts'
import type { StoreIndex } from './index/store-index.ts'
import { KeyedMutex } from './keyed-mutex.ts'
import { LineFile } from './line-file.ts'
import { Answers } from './reading/answer.ts'
import { AnswerHeads } from './reading/answer-heads.ts'
import { CaptureFinder } from './reading/capture-finder.ts'
import { CaptureProofs } from './reading/capture-proofs.ts'
import { DeltaBuilder } from './records/delta-builder.ts'
import { RecordBuilder } from './records/record-builder.ts'
import { RecordCheck } from './records/record-check.ts'
import { RecordNaming } from './records/record-naming.ts'
import { RecordReader } from './records/record-reader.ts'
import { RecordRecoding } from './records/record-recoding.ts'
import { Spool } from './spool.ts'
import { TakedownCaptures } from './takedowns/takedown-captures.ts'
import { TakedownList } from './takedowns/takedown-list.ts'
import { TakedownQuarantine } from './takedowns/takedown-quarantine.ts'
import { TakedownTraces } from './takedowns/takedown-traces.ts'
import { Takedowns } from './takedowns/takedowns.ts'
import { TakedownsInBuckets } from './takedowns/takedowns-in-buckets.ts'
import { Compaction } from './upkeep/compaction.ts'
import { DamageLog } from './upkeep/damage-log.ts'
import { FolderEvacuation } from './upkeep/folder-evacuation.ts'
import { Relocation } from './upkeep/relocation.ts'
import { RelocationRoom } from './upkeep/relocation-room.ts'
import { Repair, type RepairSource } from './upkeep/repair.ts'
import { ResidentScan } from './upkeep/residents.ts'
import { Scrub } from './upkeep/scrub.ts'
import { VolumeEvacuation } from './upkeep/volume-evacuation.ts'
import { VolumeTransfer } from './upkeep/volume-transfer.ts'
import type { Share } from './volumes/disk-room.ts'
import { VolumePlaces } from './volumes/places/volume-places.ts'
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
  /** Absent where no bucket can be reached. */
  openBucket?: OpenBucket | undefined
  log?: Log
  /** Nothing reaches the disk: what is changed is gone when it is closed. */
  isReadOnly?: boolean
  /** Told when all is closed, to let the folder go. */
  whenClosed?: () => Promise<void>
}

export interface StoreOptions {
  /** zstd comes with a dictionary for heads, unless another is given, or an empty one for none. */
  compression: Compression
  volumeBytesMax: number
  reserveBytes: number | (() => number)
  /** What the store may use, where that is less than the disks have. */
  share?: Share | undefined
  indexBytesMax: number
  /** 0: keep no deltas. */
  deltaChainMax: number
  /** How long a takedown can be taken back. */
  takedownUndoMs: number
  /** In volume names. */
  host: string
  software: string
  cacheBytes?: number
  /** On disk, for what is read from volumes in buckets. */
  bucketCacheBytes?: number
  /** For tests, which want many parts of little. */
  partBytesMin?: number
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
export const bucketCacheBytesDefault = 1_000_000_000

export type StoreParts = ReturnType<typeof joinParts>

export function joinParts(needs: StoreNeeds, folder: string, index: StoreIndex, options: StoreOptions) {
  const { clock, random, disk, compressor, log = silentLog } = needs
  const { host, software, volumeBytesMax, reserveBytes, takedownUndoMs, digest = sha256Digest } = options
  const compression = volumeCompression(options.compression)
  const ledger = new Ledger(index)
  const places = new VolumePlaces(
    { disk, clock, log, openBucket: needs.openBucket },
    join(folder, 'bucket-cache'),
    {
      bytesMax: needs.isReadOnly === true ? 0 : (options.bucketCacheBytes ?? bucketCacheBytesDefault),
      reserveBytes,
      partBytesMin: options.partBytesMin,
    },
  )
  const files = new VolumeFiles({ index, places })
  const maker = new VolumeMaker({ index, disk, clock, random }, { compression, host, software })
  const volumes = new Volumes(
    { index, disk, log, clock, random, maker, places },
    { volumeBytesMax, reserveBytes, share: options.share },
  )
  const dictionaries = new VolumeDictionaries({ files })
  const records = new RecordReader({ files, dictionaries })
  const cache = new ContentCache(options.cacheBytes ?? cacheBytesDefault)
  const quarantine = new Quarantine({ index, log })
  const loader = new ContentLoader({ index, records, cache, digest }, (key, location, cause) =>
    quarantine.report(key, location, cause),
  )
  const payloads = new PayloadReader({ loader, digest })
  const list = new TakedownList(
    { file: new LineFile({ disk }, join(folder, 'takedowns.jsonl')) },
    takedownUndoMs,
  )
  const sentTakedowns = new TakedownsInBuckets(
    { disk, places, log, folders: () => index.folders().values() },
    list.path,
  )
  const takedownQuarantine = new TakedownQuarantine({
    file: new LineFile({ disk }, join(folder, 'takedowns.quarantine.jsonl')),
    log,
  })
  const traces = new TakedownTraces({ index, ledger, clock, records })
  const takedowns = new Takedowns(
    {
      index,
      ledger,
      clock,
      list,
      quarantine: takedownQuarantine,
      captures: new TakedownCaptures({ index, ledger, traces }),
      traces,
    },
    takedownUndoMs,
  )
  const finder = new CaptureFinder({ index, takedowns })
  const matcher = new ContentMatcher({ index, loader })
  const builder = new RecordBuilder({ compressor, random }, compression)
  const recoding = new RecordRecoding({ files, records, dictionaries, builder })
  const naming = new RecordNaming({ records })
  const deltas = new DeltaBuilder(
    { index, finder, loader, builder, compressor },
    { chainMax: options.deltaChainMax },
  )
  const mutex = new KeyedMutex()
  const shared = { index, ledger, volumes, matcher, builder, cache, mutex, digest, clock, random }
  const repair = new Repair(
    { ...shared, recoding, log },
    { content: options.repair, records: options.repairRecords },
  )
  const looking = new ElsewhereLookup({ index, naming, takedowns })
  const leaves = new CaptureLeafQueue({ index })
  const signing = new CaptureSigning()
  const entering = new CaptureIndexing({ index, ledger, takedowns, leaves })
  const writing = { entering, signing, repair, quarantine, deltas, finder, naming, looking, takedowns }
  const captureWriter = new CaptureWriter({ ...shared, ...writing })
  const changes = new SharedChanges({ index })
  const contents = new Contents({ ...shared, loader, repair, changes })
  const elsewhere = new Elsewhere({
    holding: new HeldContents({ index, ledger, changes }),
    payloads,
    references: new References({ index }),
  })
  const spool = new Spool({ disk }, join(folder, 'spool'))
  const deltasUndone = new DeltaResolver({ finder, loader, digest })
  const importer = new RecordImporter({ captureWriter, contents, matcher, deltas: deltasUndone })
  const importing = new Importer({
    log: new ImportLog({ index }),
    importer,
    revisitResolver: new RevisitResolver({ index, ledger, finder, matcher, records }),
    spool,
    digest,
    clock,
  })
  const heads = new AnswerHeads(options.cacheBytes === 0 ? 0 : undefined)
  const reading = { index, finder, matcher, files, records, loader, payloads }
  const answers = new Answers({ ...reading, heads })
  const proofs = new CaptureProofs({ records, finder })
  const possession = new Possession({ answers, finder })
  const exporting = new Exporter(
    { ...shared, ...reading, naming, answers, compressor, spool, signing },
    software,
  )
  const recordExport = new RecordExport({ ...reading, compressor, digest })
  const copied = { entering, takedowns, dictionaries, exporting: recordExport, importer, spool }
  const copying = new Copying({ ...shared, ...reading, ...copied })
  const roster = new CaptureRoster({ index })
  const relocation = new Relocation({ ...shared, files, records, loader, recoding, takedowns })
  const { share } = options
  const evacuation = new VolumeEvacuation({ index, places, files, relocation, share, clock, log })
  const room = new RelocationRoom({ index, disk }, share)
  const compaction = new Compaction({ index, room, volumes, evacuation, traces, takedowns, mutex })
  const transfer = new VolumeTransfer({ index, volumes, places, files, mutex, share, log })
  const leaving = new FolderEvacuation({ index, room, volumes, evacuation, mutex })
  const check = new RecordCheck({ files, records, loader })
  const residents = new ResidentScan(
    { index, ledger, clock },
    options.scrubResidentsMax ?? scrubResidentsMaxDefault,
  )
  const damageLog = new DamageLog({ index })
  const scrubbed = { index, ledger, files, places, check, quarantine, repair, damageLog, clock, log }
  const scrub = new Scrub({ ...scrubbed, finder: residents })
  return {
    compression,
    index,
    ledger,
    files,
    places,
    volumes,
    records,
    loader,
    takedowns,
    finder,
    matcher,
    captureWriter,
    signing,
    leaves,
    contents,
    answers,
    proofs,
    possession,
    importing,
    entering,
    exporting,
    copying,
    roster,
    summing: new Summing({ index, clock, roster }),
    dropping: new Dropping({ index, ledger }),
    elsewhere,
    compaction,
    leaving,
    transfer,
    sentTakedowns,
    repair,
    damageLog,
    scrub,
    whenClosed: needs.whenClosed,
    disk,
    clock,
    log,
  }
}
