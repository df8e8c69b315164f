// The parts of a store, joined: each gets what it needs of the others. store.ts is their face.

import { join } from 'node:path'
import type { Compression } from '../formats/warc/compression/compression.ts'
import type { Clock } from '../platform/clock.ts'
import type { Compressor } from '../platform/compressor.ts'
import type { Disk } from '../platform/disk.ts'
import type { KeyValues } from '../platform/key-value.ts'
import { type Log, silentLog } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import { CaptureEntering } from './capture-entering.ts'
import { ContentCache } from './contents/content-cache.ts'
import { type ContentDigest, sha256Digest } from './contents/content-digest.ts'
import { ContentMatching } from './contents/content-matching.ts'
import { ContentReading } from './contents/content-reading.ts'
import { Contents } from './contents/contents.ts'
import { Quarantine } from './contents/quarantine.ts'
import { CaptureRoster } from './copying/capture-roster.ts'
import { Copying } from './copying/copying.ts'
import { Dropping } from './copying/dropping.ts'
import { Possession } from './copying/possession.ts'
import { Summing } from './copying/summing.ts'
import { Elsewhere } from './elsewhere/elsewhere.ts'
import { Holding } from './elsewhere/holding.ts'
import { LookingElsewhere } from './elsewhere/looking-elsewhere.ts'
import { PayloadReading } from './elsewhere/payload-reading.ts'
import { References } from './elsewhere/references.ts'
import { Exporting } from './export/exporting.ts'
import { RecordExport } from './export/record-export.ts'
import { DeltaUndoing } from './import/delta-undoing.ts'
import { ImportLog } from './import/import-log.ts'
import { Importing } from './import/importing.ts'
import { RecordTaking } from './import/record-taking.ts'
import { Settling } from './import/settling.ts'
import { Ledger } from './index/ledger.ts'
import { SharedChanges } from './index/shared-changes.ts'
import type { StoreIndex } from './index/store-index.ts'
import { Keeping } from './keeping.ts'
import { LineFile } from './line-file.ts'
import { Answers } from './reading/answer.ts'
import { AnswerHeads } from './reading/answer-heads.ts'
import { Finding } from './reading/finding.ts'
import { DeltaMaking } from './records/delta-making.ts'
import { RecordCheck } from './records/record-check.ts'
import { RecordMaking } from './records/record-making.ts'
import { RecordNaming } from './records/record-naming.ts'
import { RecordReading } from './records/record-reading.ts'
import { RecordRecoding } from './records/record-recoding.ts'
import { Spool } from './spool.ts'
import { TakedownCaptures } from './takedowns/takedown-captures.ts'
import { TakedownList } from './takedowns/takedown-list.ts'
import { TakedownQuarantine } from './takedowns/takedown-quarantine.ts'
import { TakedownTraces } from './takedowns/takedown-traces.ts'
import { Takedowns } from './takedowns/takedowns.ts'
import { Turns } from './turns.ts'
import { Compaction } from './upkeep/compaction.ts'
import { DamageBook } from './upkeep/damage-book.ts'
import { FolderLeaving } from './upkeep/folder-leaving.ts'
import { Relocation } from './upkeep/relocation.ts'
import { RelocationRoom } from './upkeep/relocation-room.ts'
import { Repair, type RepairSource } from './upkeep/repair.ts'
import { ResidentFinding } from './upkeep/residents.ts'
import { Scrub } from './upkeep/scrub.ts'
import { VolumeEmptying } from './upkeep/volume-emptying.ts'
import type { Share } from './volumes/disk-room.ts'
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
  /** Nothing reaches the disk: what is changed is gone when it is closed. */
  isReadOnly?: boolean
  /** Told when all is closed, to let the folder go. */
  whenClosed?: () => Promise<void>
}

export interface StoreOptions {
  /** zstd comes with a dictionary for heads, unless another is given, or an empty one for none. */
  compression: Compression
  volumeBytesMax: number
  reserveBytes: number
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

export type StoreParts = ReturnType<typeof joinParts>

export function joinParts(needs: StoreNeeds, folder: string, index: StoreIndex, options: StoreOptions) {
  const { clock, random, disk, compressor, log = silentLog } = needs
  const { host, software, volumeBytesMax, reserveBytes, takedownUndoMs, digest = sha256Digest } = options
  const compression = volumeCompression(options.compression)
  const ledger = new Ledger(index)
  const files = new VolumeFiles({ index, disk })
  const maker = new VolumeMaker({ index, disk, clock, random }, { compression, host, software })
  const volumes = new Volumes(
    { index, disk, log, clock, maker },
    { volumeBytesMax, reserveBytes, share: options.share },
  )
  const dictionaries = new VolumeDictionaries({ files })
  const records = new RecordReading({ files, dictionaries })
  const cache = new ContentCache(options.cacheBytes ?? cacheBytesDefault)
  const quarantine = new Quarantine({ index, log })
  const reading = new ContentReading({ index, records, cache, digest }, (key, location, cause) =>
    quarantine.report(key, location, cause),
  )
  const payloads = new PayloadReading({ reading, digest })
  const list = new TakedownList(
    { file: new LineFile({ disk }, join(folder, 'takedowns.jsonl')) },
    takedownUndoMs,
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
  const looking = new LookingElsewhere({ index, naming, takedowns })
  const entering = new CaptureEntering({ index, ledger, takedowns })
  const keeping = new Keeping({
    ...shared,
    entering,
    repair,
    quarantine,
    deltas,
    finding,
    naming,
    looking,
    takedowns,
  })
  const changes = new SharedChanges({ index })
  const contents = new Contents({ ...shared, reading, repair, changes })
  const elsewhere = new Elsewhere({
    holding: new Holding({ index, ledger, changes }),
    payloads,
    references: new References({ index }),
  })
  const spool = new Spool({ disk }, join(folder, 'spool'))
  const deltasUndone = new DeltaUndoing({ finding, reading, digest })
  const taking = new RecordTaking({ keeping, contents, matching, deltas: deltasUndone })
  const importing = new Importing({
    log: new ImportLog({ index }),
    taking,
    settling: new Settling({ index, ledger, finding, matching, records }),
    spool,
    digest,
    clock,
  })
  const heads = new AnswerHeads(options.cacheBytes === 0 ? 0 : undefined)
  const answers = new Answers({ index, finding, matching, records, reading, payloads, heads })
  const possession = new Possession({ answers, finding })
  const exporting = new Exporting(
    {
      index,
      finding,
      matching,
      files,
      records,
      reading,
      payloads,
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
    ...shared,
    entering,
    takedowns,
    finding,
    files,
    records,
    dictionaries,
    exporting: new RecordExport({ files, records, reading, payloads, compressor, digest }),
    taking,
    spool,
  })
  const roster = new CaptureRoster({ index })
  const relocation = new Relocation({ ...shared, files, records, reading, recoding, takedowns })
  const emptying = new VolumeEmptying({
    index,
    disk,
    files,
    relocation,
    share: options.share,
    clock,
    log,
  })
  const room = new RelocationRoom({ index, disk }, options.share)
  const compaction = new Compaction({ index, room, volumes, emptying, traces, takedowns, turns })
  const leaving = new FolderLeaving({ index, room, volumes, emptying, turns })
  const check = new RecordCheck({ files, records, reading })
  const residents = new ResidentFinding(
    { index, ledger, clock },
    options.scrubResidentsMax ?? scrubResidentsMaxDefault,
  )
  const damageBook = new DamageBook({ index })
  const scrub = new Scrub({
    index,
    ledger,
    files,
    disk,
    finding: residents,
    check,
    quarantine,
    repair,
    book: damageBook,
    clock,
    log,
  })
  return {
    compression,
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
    repair,
    damageBook,
    scrub,
    whenClosed: needs.whenClosed,
    disk,
    clock,
    log,
  }
}
