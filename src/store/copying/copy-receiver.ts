// Takes captures that another store gave.
//
// Those that came in memory with their payload go the short way (whole-copies.ts); all others are taken as if they were imported:
// a revisit needs the payload that it names, a delta its base. What is too large for memory is spooled, checked, and then written as
// it came; if it is cut off, what has come is kept for the next attempt (partial-copies.ts). Whether the parts belong together is
// told by the digest at the end: if they do not, all of them go.

import { WarcDamage } from '../../formats/warc/damage.ts'
import { readWarc } from '../../formats/warc/reading/reader.ts'
import { typeOf } from '../../formats/warc/record.ts'
import type { Digest } from '../../model/digest.ts'
import { DiskError } from '../../platform/storage/disk.ts'
import { type ContentDigest, sha256Digest } from '../contents/content-digest.ts'
import type { ContentMatcher } from '../contents/content-matcher.ts'
import { payloadElsewhere } from '../elsewhere/elsewhere-mark.ts'
import { isDelta } from '../import/delta-resolver.ts'
import type { RecordGroup } from '../import/pairing.ts'
import { type ReadRecord, readRecord } from '../import/read-record.ts'
import type { Outcome, RecordImporter } from '../import/record-importer.ts'
import type { MadeRecords } from '../records/record-builder.ts'
import { payloadDigestIn } from '../records/revisited.ts'
import type { Spool, SpoolFile } from '../spool.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'
import { checkDigests, groupOf, readCopy } from './copied-records.ts'
import type { ReceivedCopy, ReceiveOutcome, StoredCopy, TakeOptions } from './copying.ts'
import { PartialCopies } from './partial-copies.ts'
import { type CopyWorkers, isStoredAsHere, WholeCopies, type WholeCopiesNeeds } from './whole-copies.ts'

export interface ReceiverNeeds extends WholeCopiesNeeds {
  matcher: ContentMatcher
  importer: RecordImporter
  spool: Spool
  digest: ContentDigest
}

export class CopyReceiver {
  readonly #needs: ReceiverNeeds
  readonly #wholes: WholeCopies
  readonly #parts = new PartialCopies()

  constructor(needs: ReceiverNeeds) {
    this.#needs = needs
    this.#wholes = new WholeCopies(needs)
  }

  checkIn(workers: CopyWorkers): void {
    this.#wholes.checkIn(workers)
  }

  async take(copy: ReceivedCopy, options: TakeOptions): Promise<ReceiveOutcome> {
    const { before, admit } = options
    if ('name' in copy) return this.#takeParts(copy.name, copy.stored, options)
    if (!(copy instanceof Uint8Array)) return this.#take((await this.#flowing(copy)).group, options)
    const isKnownBySha256 = this.#needs.digest === sha256Digest
    const outcome = isKnownBySha256 ? await this.#wholes.take(copy, admit) : undefined
    if (outcome !== undefined) return outcome
    await before
    const { group, mainBytes } = readCopy(copy)
    const stored = isStoredAsHere(this.#needs, copy) ? { bytes: copy, mainBytes: () => mainBytes } : undefined
    return this.#take(group, options, stored)
  }

  /** Forgets what was cut off. */
  close(): Promise<void> {
    return this.#parts.close()
  }

  async #takeParts(name: string, copy: StoredCopy, options: TakeOptions): Promise<ReceiveOutcome> {
    const file = this.#parts.take(name) ?? (await this.#needs.spool.open())
    try {
      await fill(file, copy)
    } catch (error) {
      const isCutOff = !(error instanceof WarcDamage || error instanceof DiskError)
      if (isCutOff) await this.#parts.keep(name, file)
      else await file.discard()
      throw error
    }
    try {
      const { group, mainBytes } = await this.#flowing(file.chunks())
      const fits = mainBytes !== undefined && isStoredAsHere(this.#needs, await file.read(0, 16))
      const bytes = { [Symbol.asyncIterator]: () => file.chunks() }
      return await this.#take(group, options, fits ? { bytes, mainBytes: () => mainBytes } : undefined)
    } finally {
      await file.discard()
    }
  }

  async #take(
    group: RecordGroup,
    { admit, isWhole = false }: TakeOptions,
    stored?: MadeRecords,
  ): Promise<ReceiveOutcome> {
    const { main } = group
    if (!(await this.#isResolved(main, isWhole))) return 'lacking'
    const payloadDigest = this.#digestOf(main)
    const how = { stored, payloadDigest, admit, mayBeHidden: true }
    const outcome = await this.#needs.importer.take(group, how)
    await this.#noteGains(outcome)
    return outcomeOf(outcome)
  }

  /** What it repeats may come later, or be named by another digest: see revisit-resolver.ts. */
  async #noteGains({ gains }: Outcome): Promise<void> {
    if (gains === undefined || gains.waiting.length + gains.aliases.length === 0) return
    const { index } = this.#needs
    await index.changeForGood(() => {
      for (const { of, content } of gains.aliases) index.putAlias(of.bytes, content.bytes)
      for (const cursor of gains.waiting)
        index.waiting.put(Buffer.from(cursor, 'base64url'), new Uint8Array())
    })
  }

  /** Whether what a revisit names is here. What it comes with must be right in any case. */
  async #isResolved(main: ReadRecord, mayWait: boolean): Promise<boolean> {
    let isResolved = false
    try {
      checkDigests(main)
      isResolved = !this.#isLacking(main, mayWait)
      return isResolved
    } finally {
      if (!isResolved) await main.discard()
    }
  }

  #isLacking(main: ReadRecord, mayWait: boolean): boolean {
    if (typeOf(main) !== 'revisit' || isDelta(main) || payloadElsewhere(main) !== undefined) return false
    const digest = payloadDigestIn(main)
    return !mayWait && (digest === undefined || this.#needs.matcher.holding(digest) === undefined)
  }

  /** As the check found it, if that is the one that contents are known by here. */
  #digestOf({ payloadDigest }: ReadRecord): Digest | undefined {
    const isOurs = this.#needs.digest === sha256Digest && payloadDigest?.algorithm === 'sha256'
    return isOurs ? payloadDigest : undefined
  }

  /** `mainBytes`: of the main record as it came, where it is one of records that lie right behind one another. */
  async #flowing(
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<{ group: RecordGroup; mainBytes: number | undefined }> {
    const read: ReadRecord[] = []
    const lengths: (number | undefined)[] = []
    let end: number | undefined = 0
    try {
      for await (const item of readWarc(chunks, { dictionary: recordDictionary })) {
        if (item.kind === 'damage') throw item.error
        read.push(await readRecord(this.#needs, item.record, item.offset))
        lengths.push(item.length)
        const isNext: boolean = item.offset === end && item.offsetInMember === 0
        end = isNext && item.length !== undefined ? end! + item.length : undefined
      }
      return { group: groupOf(read), mainBytes: end === undefined ? undefined : lengths[0] }
    } catch (error) {
      for (const record of read) await record.discard()
      throw error
    }
  }
}

/** To its end. */
async function fill(file: SpoolFile, copy: StoredCopy): Promise<void> {
  for await (const chunk of copy.from(file.sizeBytes)) {
    await file.append(chunk)
    if (file.sizeBytes > copy.sizeBytes) throw notAsTold()
  }
  if (file.sizeBytes !== copy.sizeBytes) throw notAsTold()
}

function notAsTold(): WarcDamage {
  return new WarcDamage('warc-not-a-record', 0, 'a copy of another size than was told')
}

function outcomeOf({ verdict, problem }: Outcome): ReceiveOutcome {
  switch (verdict) {
    case 'kept':
    case 'known':
    case 'taken-down':
      return verdict
    case 'deferred':
      return 'lacking'
    default: {
      const message = problem?.message ?? `a copy that is no capture: ${verdict}`
      throw new WarcDamage('warc-not-a-record', 0, message)
    }
  }
}
