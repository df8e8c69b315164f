// One import of one source: reads its records, keeps their captures, and saves now and then how far it has got.

import { WarcDamage } from '../../formats/warc/damage.ts'
import type { RecordItem } from '../../formats/warc/reading/reader.ts'
import { typeOf } from '../../formats/warc/record.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ContentDigest } from '../contents/content-digest.ts'
import type { Spool } from '../spool.ts'
import { type ArchivePart, itemsFrom } from './archive-part.ts'
import { fateOf, holdsFields } from './capture-making.ts'
import { isDelta } from './delta-resolver.ts'
import { Flights } from './flights.ts'
import { type ImportGains, type ImportLog, noGains, type SavedImport } from './import-log.ts'
import {
  countSkipped,
  type ImportCounts,
  type ImportProgress,
  noCounts,
  type Problems,
  type SkipReason,
} from './import-result.ts'
import { type Paired, Pairing, type RecordGroup } from './pairing.ts'
import type { ReadRecord } from './read-record.ts'
import { readRecord, readStart } from './read-record.ts'
import {
  namesOf,
  type OtherKeepers,
  type Outcome,
  pointersOf,
  type RecordImporter,
  type TakeOptions,
  urlNamesOf,
} from './record-importer.ts'

interface Place {
  part: number
  offset: number
}

export interface ImportRunNeeds {
  log: ImportLog
  importer: RecordImporter
  spool: Spool
  digest: ContentDigest
  clock: Clock
}

export interface ImportRunOptions {
  signal?: AbortSignal | undefined
  whenProgress?: ((progress: ImportProgress) => void) | undefined
  /** Other peers that may keep payloads already, so that they need not be stored here. */
  others?: OtherKeepers | undefined
  /** The peer that imports: its mark goes with every capture. */
  importedBy?: string | undefined
}

/** By so much another machine's clock may have been ahead of ours. */
const aheadMsMax = 600_000
const savedRecordsMax = 500
const savedBytesMax = 64 * 1024 * 1024
/** Requests and metadata are kept in memory; larger ones are passed over. */
const companionBytesMax = 1024 * 1024
/** So much of a larger request is read: what its answer is filed under does not depend on more. */
const requestBytesMin = 64 * 1024
/** What a block in the spool counts for among those under way. */
const spooledWeight = 8 * 1024 * 1024

export class ImportRun {
  readonly #needs: ImportRunNeeds
  readonly #identity: string
  readonly #parts: readonly ArchivePart[]
  readonly #options: ImportRunOptions
  readonly problems: Problems
  readonly #flights = new Flights<Outcome>()
  #pairing = new Pairing()
  #gains: ImportGains = noGains()
  /** Deltas whose base has not come yet: part and offset. Nothing is saved as done beyond the first of them. */
  #deferred: Place[] = []
  #counts: ImportCounts
  /** Where the records begin that were read in this part and may have to be read again. */
  #unsettled: number[] = []
  #part: number
  #readTo: number
  #doneBytes: number
  #unsavedRecords = 0
  #isGain = false
  #savedAtBytes: number

  constructor(
    needs: ImportRunNeeds,
    source: {
      identity: string
      parts: readonly ArchivePart[]
      saved: SavedImport | undefined
      problems: Problems
    },
    options: ImportRunOptions,
  ) {
    this.#needs = needs
    this.#identity = source.identity
    this.#parts = source.parts
    this.#options = options
    this.#counts = source.saved?.counts ?? noCounts()
    this.#part = source.saved?.part ?? 0
    this.#readTo = source.saved?.offset ?? 0
    this.#doneBytes = this.#bytesBefore(this.#part) + this.#readTo
    this.#savedAtBytes = this.#doneBytes
    this.problems = source.problems
  }

  get progress(): ImportProgress {
    const totalBytes = this.#parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    return { ...this.#counts, doneBytes: Math.min(this.#doneBytes, totalBytes), totalBytes }
  }

  /** Whether anything came of it that a waiting revisit may have waited for. */
  get isGain(): boolean {
    return this.#isGain
  }

  /** Rejects with the signal's reason when aborted; what is durable by then is remembered. */
  async run(): Promise<void> {
    try {
      while (this.#part < this.#parts.length) {
        await this.#importPart(this.#parts[this.#part]!, this.#readTo)
        this.#part++
        this.#readTo = 0
      }
      const isSound = this.problems.count + this.#counts.damaged + this.#counts.mismatched === 0
      const isWhole = await this.#takeDeferred()
      await this.#save(isSound ? { isDone: isWhole } : 'from the start')
    } catch (error) {
      await this.#flights.allSettled()
      // What is under way may have failed too: it is not counted, and the position stays before it.
      await this.#save({ isDone: false }).catch(() => {})
      throw error
    }
  }

  async #importPart(part: ArchivePart, from: number): Promise<void> {
    const items = itemsFrom(part, from, (bytes) => {
      this.#doneBytes += bytes
    })
    const recordsBefore = this.#counts.records
    for await (const item of items) {
      this.#options.signal?.throwIfAborted()
      this.#counts.records++
      this.#unsettled.push(item.kind === 'record' ? item.offset : item.error.offset)
      if (item.kind === 'record') await this.#takeItem(item)
      else this.#count({ verdict: 'damaged', problem: damage(item.error) })
      this.#readTo = item.kind === 'record' ? item.offset : item.skippedTo
      await this.#drain(() => this.#flights.isFull)
      await this.#saveNowAndThen()
    }
    for (const paired of this.#pairing.end()) await this.#takePaired(paired)
    await this.#drain(() => !this.#flights.isEmpty)
    this.#readTo = part.sizeBytes
    this.#unsettled = []
    if (from === 0 && this.#counts.records === recordsBefore)
      this.problems.add({ kind: 'damage', offset: 0, part: part.name, message: 'There is no record in it.' })
    const mismatch = part.check?.()
    if (mismatch) this.problems.add({ kind: 'package', offset: 0, part: part.name, message: mismatch })
  }

  async #takeItem(item: RecordItem): Promise<void> {
    const fate = fateOf(item.record)
    if (fate !== 'capture' && fate !== 'companion' && fate !== 'content') {
      this.#count({ verdict: fate })
      return
    }
    const skip = fate === 'companion' ? companionFault(item) : undefined
    if (skip !== undefined) {
      this.#count({ verdict: skip })
      if (typeOf(item.record) !== 'request') return
    }
    let record: ReadRecord
    try {
      record =
        skip === undefined
          ? await readRecord(this.#needs, item.record, item.offset)
          : await readStart(item.record, item.offset, requestBytesMin)
    } catch (error) {
      // The reader tells of it as well, as its next item: counted there.
      if (error instanceof WarcDamage) {
        this.#counts.records--
        this.#unsettled.pop()
        return
      }
      throw error
    }
    if (fate === 'content') this.#begin(record, [], () => this.#needs.importer.takeContent(record))
    else for (const paired of this.#pairing.push(record)) await this.#takePaired(paired)
  }

  async #takePaired(paired: Paired): Promise<void> {
    if (paired.kind === 'unpaired') {
      if (!paired.record.isCut) this.#count({ verdict: 'unpaired' })
      return
    }
    await this.#takeGroup(paired.group)
  }

  get #takeOptions(): TakeOptions {
    const { others, importedBy } = this.#options
    return { others, import: { importedBy, latestMs: this.#needs.clock.nowMs() + aheadMsMax } }
  }

  async #takeGroup(group: RecordGroup): Promise<void> {
    const { main } = group
    if (typeOf(main) === 'revisit') await this.#flights.settled(pointersOf(main))
    const part = this.#part
    const others = [group.request, group.metadata].filter((record) => record !== undefined)
    // A version may be kept as a delta of the one before, once that is there.
    const earlierVersions = this.#flights.settled(urlNamesOf(main))
    this.#begin(main, others, async () => {
      await earlierVersions
      const outcome = await this.#needs.importer.take(group, this.#takeOptions)
      if (outcome.verdict === 'deferred') this.#deferred.push({ part, offset: firstOffset(main, others) })
      return outcome
    })
    await this.#drain(() => this.#flights.isFull)
  }

  #begin(main: ReadRecord, others: readonly ReadRecord[], work: () => Promise<Outcome>): void {
    const heldBytes = [main, ...others].reduce((sum, { block }) => sum + weightOf(block), 0)
    this.#flights.begin({
      offset: firstOffset(main, others),
      heldBytes,
      names: [...namesOf(main), ...urlNamesOf(main)],
      outcome: work(),
    })
  }

  async #drain(isEnough: () => boolean): Promise<void> {
    while (isEnough()) this.#count(await this.#flights.takeFirst())
  }

  #count({ verdict, isMismatched, gains, problem }: Outcome): void {
    const counts = this.#counts
    if (verdict === 'kept' || verdict === 'known' || verdict === 'damaged') counts[verdict]++
    else if (verdict !== 'deferred') countSkipped(counts, verdict)
    if (verdict === 'kept' || gains?.aliases.length) this.#isGain = true
    if (isMismatched) counts.mismatched++
    if (problem) this.problems.add({ ...problem, part: this.#parts[this.#part]?.name })
    if (gains) {
      this.#gains.aliases.push(...gains.aliases)
      this.#gains.waiting.push(...gains.waiting)
    }
    this.#unsavedRecords++
    this.#options.whenProgress?.(this.progress)
  }

  async #saveNowAndThen(): Promise<void> {
    const isDue =
      this.#unsavedRecords >= savedRecordsMax || this.#doneBytes - this.#savedAtBytes >= savedBytesMax
    if (isDue) await this.#save({ isDone: false })
  }

  /** `from the start`: read it all again another time. A sound copy of a damaged file may have the same size and ends. */
  async #save(how: { isDone: boolean } | 'from the start'): Promise<void> {
    const gains = this.#gains
    this.#gains = noGains()
    this.#unsavedRecords = 0
    this.#savedAtBytes = this.#doneBytes
    const { log } = this.#needs
    const saved =
      how === 'from the start'
        ? { isDone: false, part: 0, offset: 0, counts: noCounts() }
        : { ...how, ...this.#settled() }
    await log.save(this.#identity, saved, gains)
  }

  /** How far all is durable, and what was counted up to there. */
  #settled(): Place & { counts: ImportCounts } {
    const place = this.#position()
    if (place.part < this.#part) return { ...place, counts: this.#counts }
    this.#unsettled = this.#unsettled.filter((offset) => offset >= place.offset)
    const records = this.#counts.records - this.#unsettled.length
    return { ...place, counts: { ...this.#counts, records } }
  }

  /** Before it, all is durable. */
  #position(): Place {
    const first = this.#deferred.reduce<Place | undefined>(earlierPlace, undefined)
    const offset = Math.min(this.#readTo, this.#pairing.oldestOffset, this.#flights.oldestOffset)
    if (first === undefined || first.part > this.#part) return { part: this.#part, offset }
    return first.part < this.#part ? first : { part: this.#part, offset: Math.min(offset, first.offset) }
  }

  /** Deltas that came before their base, again and again until no more of them can be had. False: some are left. */
  async #takeDeferred(): Promise<boolean> {
    for (let left = Number.POSITIVE_INFINITY; this.#deferred.length < left && this.#deferred.length > 0; ) {
      left = this.#deferred.length
      const waiting = this.#deferred
      this.#deferred = []
      for (const { part, offset } of waiting) {
        this.#options.signal?.throwIfAborted()
        const group = await this.#groupAt(part, offset)
        const outcome = await this.#needs.importer.take(group, this.#takeOptions)
        if (outcome.verdict === 'deferred') this.#deferred.push({ part, offset })
        else this.#count(outcome)
      }
    }
    for (const { part, offset } of this.#deferred) {
      this.#counts.damaged++
      const message =
        'A delta whose base is neither in this store nor in the file. Import its other volumes too.'
      this.problems.add({ kind: 'missing-base', offset, part: this.#parts[part]!.name, message })
    }
    return this.#deferred.length === 0
  }

  /** The delta at this place, with what belongs to it. */
  async #groupAt(part: number, offset: number): Promise<RecordGroup> {
    const pairing = new Pairing()
    const paired: Paired[] = []
    for await (const item of itemsFrom(this.#parts[part]!, offset)) {
      if (item.kind !== 'record' || !['capture', 'companion'].includes(fateOf(item.record))) continue
      if (!(item.record.block instanceof Uint8Array)) continue
      paired.push(...pairing.push(await readRecord(this.#needs, item.record, item.offset)))
      if (paired.length > 0) break
    }
    paired.push(...pairing.end())
    const found = paired.find((one) => one.kind === 'group' && isDelta(one.group.main))
    if (found?.kind !== 'group')
      throw new WarcDamage('warc-not-a-record', offset, 'the delta seen here is gone')
    return found.group
  }

  #bytesBefore(part: number): number {
    return this.#parts.slice(0, part).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  }
}

/** Why a request or metadata record cannot go with its answer. */
function companionFault({ record }: RecordItem): SkipReason | undefined {
  if (record.block.length > companionBytesMax || !(record.block instanceof Uint8Array)) return 'refused'
  return typeOf(record) === 'metadata' && !holdsFields(record) ? 'metadata-form' : undefined
}

function damage(error: WarcDamage): NonNullable<Outcome['problem']> {
  return { kind: 'damage', offset: error.offset, message: error.message }
}

function earlierPlace(left: Place | undefined, right: Place): Place {
  const isLeft = left && (left.part - right.part || left.offset - right.offset) <= 0
  return isLeft ? left : right
}

function firstOffset(main: ReadRecord, others: readonly ReadRecord[]): number {
  return Math.min(main.offset, ...others.map(({ offset }) => offset))
}

function weightOf(block: ReadRecord['block']): number {
  return block instanceof Uint8Array ? block.length : spooledWeight
}
