// Takes captures that another store gave.
//
// Those that came in memory with their payload go the short way (whole-copies.ts); all others are taken as if they were imported:
// a revisit needs the payload that it names, a delta its base.

import type { Digest } from '../../record/digest.ts'
import { WarcDamage } from '../../record/warc/damage.ts'
import { readWarc } from '../../record/warc/reader.ts'
import { typeOf } from '../../record/warc/record.ts'
import { type ContentDigest, sha256Digest } from '../content-digest.ts'
import type { ContentMatching } from '../content-matching.ts'
import { payloadElsewhere } from '../elsewhere/elsewhere-mark.ts'
import { isDelta } from '../import/delta-undoing.ts'
import type { RecordGroup } from '../import/pairing.ts'
import { type ReadRecord, readRecord } from '../import/read-record.ts'
import type { Outcome, RecordTaking } from '../import/record-taking.ts'
import type { MadeRecords } from '../record-making.ts'
import { payloadDigestIn } from '../revisited.ts'
import type { Spool } from '../spool.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'
import { checkDigests, groupOf, readCopy } from './copied-records.ts'
import type { CaptureCopy, TakeOutcome } from './copying.ts'
import { type CopyWorkers, isStoredAsHere, WholeCopies, type WholeCopiesNeeds } from './whole-copies.ts'

export interface TakingNeeds extends WholeCopiesNeeds {
  matching: ContentMatching
  taking: RecordTaking
  spool: Spool
  digest: ContentDigest
}

export class CopyTaking {
  readonly #needs: TakingNeeds
  readonly #wholes: WholeCopies

  constructor(needs: TakingNeeds) {
    this.#needs = needs
    this.#wholes = new WholeCopies(needs)
  }

  checkIn(workers: CopyWorkers): void {
    this.#wholes.checkIn(workers)
  }

  async take(copy: CaptureCopy): Promise<TakeOutcome> {
    if (!(copy instanceof Uint8Array)) return this.#take(await this.#flowing(copy))
    const isKnownBySha256 = this.#needs.digest === sha256Digest
    const outcome = isKnownBySha256 ? await this.#wholes.take(copy) : undefined
    if (outcome !== undefined) return outcome
    const { group, mainBytes } = readCopy(copy)
    const stored = isStoredAsHere(this.#needs, copy) ? { bytes: copy, mainBytes: () => mainBytes } : undefined
    return this.#take(group, stored)
  }

  async #take(group: RecordGroup, stored?: MadeRecords): Promise<TakeOutcome> {
    const { main } = group
    if (!(await this.#isResolved(main))) return 'lacking'
    const payloadDigest = this.#digestOf(main)
    return outcomeOf(await this.#needs.taking.take(group, { stored, payloadDigest }))
  }

  /** Whether what a revisit names is here. What it comes with must be right in any case. */
  async #isResolved(main: ReadRecord): Promise<boolean> {
    let isResolved = false
    try {
      checkDigests(main)
      isResolved = !this.#isLacking(main)
      return isResolved
    } finally {
      if (!isResolved) await main.discard()
    }
  }

  #isLacking(main: ReadRecord): boolean {
    if (typeOf(main) !== 'revisit' || isDelta(main) || payloadElsewhere(main) !== undefined) return false
    const digest = payloadDigestIn(main)
    return digest === undefined || this.#needs.matching.holding(digest) === undefined
  }

  /** As the check found it, if that is the one that contents are known by here. */
  #digestOf({ payloadDigest }: ReadRecord): Digest | undefined {
    const isOurs = this.#needs.digest === sha256Digest && payloadDigest?.algorithm === 'sha256'
    return isOurs ? payloadDigest : undefined
  }

  async #flowing(chunks: AsyncIterable<Uint8Array>): Promise<RecordGroup> {
    const read: ReadRecord[] = []
    try {
      for await (const item of readWarc(chunks, { dictionary: recordDictionary })) {
        if (item.kind === 'damage') throw item.error
        read.push(await readRecord(this.#needs, item.record, item.offset))
      }
      return groupOf(read)
    } catch (error) {
      for (const record of read) await record.discard()
      throw error
    }
  }
}

function outcomeOf({ verdict, problem }: Outcome): TakeOutcome {
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
