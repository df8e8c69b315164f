// Takes copies that can be written as they came: many at a time, checked in other threads. They hold their payload, or are revisits
// of one that is here or comes with them.
//
// Copies of one moment go through all of it together: one hand-over to a thread, one write, one change of the index. So a capture
// costs this thread little more than what it puts into the index.
// What is not plain is left to others, and so is a payload that is here already, which becomes a revisit.
// Invariant: nothing is written that a thread has not found right, and nothing counts before it is durable.

import { PolyhistorError } from '../../errors.ts'
import { looksLikeGzip } from '../../formats/warc/compression/gzip-member.ts'
import type { Revisited } from '../../formats/warc/record-builder.ts'
import type { Digest } from '../../model/digest.ts'
import { Batcher } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import { inlineWorkers, type Workers } from '../../platform/workers.ts'
import { type CaptureIndexing, Known } from '../capture-indexing.ts'
import type { ContentKey } from '../contents/content-key.ts'
import type { ContentEntry } from '../index/content-entry.ts'
import type { Ledger } from '../index/ledger.ts'
import type { WrittenLocation } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { MainRecord, RecordBuilder } from '../records/record-builder.ts'
import type { Takedowns } from '../takedowns/takedowns.ts'
import { CommitRefusal } from '../volumes/appending.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'
import type { Volumes } from '../volumes/volumes.ts'
import { BatchMemory } from './batch-memory.ts'
import {
  type CheckedCopies,
  type CopiesToCheck,
  checkCopies,
  type PlainCopy,
  plainCopiesIn,
} from './copy-check.ts'
import { type Admit, type Admitted, admittedAs, type ReceiveOutcome } from './copying.ts'

/** Threads that do `checkCopies`, and give the bytes back. */
export type CopyWorkers = Workers<CopiesToCheck, CheckedCopies>

export interface WholeCopiesNeeds {
  clock: Clock
  index: StoreIndex
  ledger: Ledger
  entering: CaptureIndexing
  takedowns: Takedowns
  volumes: Volumes
  builder: RecordBuilder
}

interface Sent {
  readonly bytes: Uint8Array
  readonly admit: Admit | undefined
}

/** One that is to be written. */
interface Part {
  readonly place: number
  readonly copy: PlainCopy
  readonly bytes: Uint8Array
  readonly heardAtMs: number | undefined
}

/** Digest → size of payloads that come with the batch. */
type ComingPayloads = Map<string, number>

const nothing = new Uint8Array()
/** What goes to a thread together, and into the index: some milliseconds of work for either. */
const batchLimits = { itemsMax: 128, bytesMax: 512 * 1024, bytesOf: ({ bytes }: Sent) => bytes.length }
/** Less is checked here sooner than a thread has heard of it. */
const threadBytesMin = 32 * 1024

export class WholeCopies {
  readonly #needs: WholeCopiesNeeds
  readonly #here: CopyWorkers = inlineWorkers(checkCopies)
  #threads: CopyWorkers | undefined
  readonly #memory = new BatchMemory(batchLimits.bytesMax)
  readonly #batches: Batcher<Sent, ReceiveOutcome | undefined>

  constructor(needs: WholeCopiesNeeds) {
    this.#needs = needs
    this.#batches = new Batcher(needs, batchLimits, (batch) => this.#takeBatch(batch))
  }

  checkIn(workers: CopyWorkers): void {
    this.#threads = workers
  }

  /** undefined when it must be taken in another way. */
  take(bytes: Uint8Array, admit?: Admit): Promise<ReceiveOutcome | undefined> {
    return this.#batches.add({ bytes, admit })
  }

  async #takeBatch(batch: readonly Sent[]): Promise<(ReceiveOutcome | undefined)[]> {
    const lengths = batch.map(({ bytes }) => bytes.length)
    const checked = await this.#check(batch, lengths)
    const outcomes = await this.#keep(checked, batch)
    this.#memory.giveBack(checked.bytes)
    return outcomes
  }

  #check(batch: readonly Sent[], lengths: readonly number[]): Promise<CheckedCopies> {
    const parts = batch.map(({ bytes }) => bytes)
    const isSmall = lengths.reduce((sum, length) => sum + length, 0) < threadBytesMin
    if (this.#threads === undefined || isSmall)
      return this.#here.run({ bytes: Buffer.concat(parts), lengths })
    const bytes = this.#memory.together(parts)
    return this.#threads.run({ bytes, lengths }, [bytes.buffer])
  }

  async #keep(checked: CheckedCopies, batch: readonly Sent[]): Promise<(ReceiveOutcome | undefined)[]> {
    const { bytes } = checked
    const found = plainCopiesIn(checked)
    const outcomes: (ReceiveOutcome | undefined)[] = []
    const parts: Part[] = []
    const coming: ComingPayloads = new Map()
    let at = 0
    for (const [place, copy] of found.entries()) {
      const { admit, bytes: sent } = batch[place]!
      const own = bytes.subarray(at, (at += sent.length))
      const admitted = copy && admittedAsItIs(copy, admit)
      const judged = admitted && this.#judge(copy, own, coming)
      if (typeof judged !== 'object') outcomes[place] = judged
      else parts.push({ place, copy: judged, bytes: own, heardAtMs: admitted?.heardAtMs })
    }
    if (parts.length > 0) {
      const all = parts.length === found.length ? bytes : Buffer.concat(parts.map((part) => part.bytes))
      const commit = (location: WrittenLocation): void => this.#commit(parts, location, outcomes)
      await this.#needs.volumes.append({ bytes: all, commit })
    }
    return outcomes
  }

  /** What to write, if it is to be written. */
  #judge(copy: PlainCopy, bytes: Uint8Array, coming: ComingPayloads): ReceiveOutcome | PlainCopy | undefined {
    const { takedowns, index } = this.#needs
    const { capture, facts, digest } = copy
    if (takedowns.destroys(capture.url)) return 'taken-down'
    if (!isStoredAsHere(this.#needs, bytes)) return undefined
    const here = index.content(contentOf(facts.payloadDigest))
    if (copy.refersTo !== undefined) return this.#judgeRevisit(copy, here, coming.get(digest))
    // Where its payload is not, a capture is not either; one whose payload is elsewhere is found when it is entered.
    if (here !== undefined) return this.#isKnown(copy) ? 'known' : undefined
    if (coming.has(digest)) return undefined
    coming.set(digest, facts.payloadBytes)
    return copy
  }

  /** What it refers to is looked for by whoever takes it in another way, where that is not as plain as nearly always. */
  #judgeRevisit(
    copy: PlainCopy,
    here: ContentEntry | undefined,
    comingBytes: number | undefined,
  ): ReceiveOutcome | PlainCopy | undefined {
    const { takedowns, index } = this.#needs
    const payloadBytes = here?.sizeBytes ?? comingBytes
    const isPlain = !index.mayOverflow && !here?.isDamaged && !takedowns.hidesUrl(copy.refersTo!.targetUri)
    if (payloadBytes === undefined || !isPlain) return undefined
    if (this.#isKnown(copy)) return 'known'
    return { ...copy, facts: { ...copy.facts, payloadBytes } }
  }

  #isKnown({ capture, facts }: PlainCopy): boolean {
    return this.#needs.entering.find(capture, facts) !== undefined
  }

  /** Inside the index change, when all of them are safe. */
  #commit(parts: readonly Part[], location: WrittenLocation, outcomes: (ReceiveOutcome | undefined)[]): void {
    let { offset } = location
    for (const { place, copy, bytes, heardAtMs } of parts) {
      const own = { volume: location.volume, offset, length: bytes.length, checksum: copy.checksum }
      outcomes[place] = this.#enter(copy, heardAtMs, own)
      if (outcomes[place] !== 'kept') this.#needs.ledger.markDead(own.volume, own.length)
      offset += bytes.length
    }
  }

  #enter(
    { capture, facts, refersTo, mainBytes }: PlainCopy,
    heardAtMs: number | undefined,
    location: WrittenLocation,
  ): ReceiveOutcome | undefined {
    try {
      const content = contentOf(facts.payloadDigest)
      const entry = { main: mainOf(refersTo), content, mainBytes, mayBeHidden: true }
      this.#needs.entering.enter({ ...capture, heardAtMs }, facts, capture.recordId, entry, location)
      return 'kept'
    } catch (error) {
      if (!(error instanceof CommitRefusal)) throw error
      // What it was refused for is found again, and told, by whoever takes it in another way.
      return error.reason instanceof Known ? 'known' : undefined
    }
  }
}

/** undefined when it is to be marked. Who refuses it does so again, and is heard, when it is taken in another way. */
function admittedAsItIs({ capture }: PlainCopy, admit: Admit | undefined): Admitted | undefined {
  try {
    const admitted = admittedAs(capture, admit)
    return admitted.importedBy === capture.importedBy ? admitted : undefined
  } catch (error) {
    if (error instanceof PolyhistorError) return undefined
    throw error
  }
}

function mainOf(refersTo: Revisited | undefined): MainRecord {
  if (refersTo === undefined) return { kind: 'full' }
  return { kind: 'identical-payload-digest', refersTo, block: nothing }
}

/** Whether it can be written as it is. */
export function isStoredAsHere({ builder }: { builder: RecordBuilder }, bytes: Uint8Array): boolean {
  return builder.isCompressedLike({
    start: bytes.subarray(0, 16),
    dictionary: looksLikeGzip(bytes) ? undefined : recordDictionary,
  })
}

function contentOf(digest: Digest): ContentKey {
  return { digest, overflow: 0 }
}
