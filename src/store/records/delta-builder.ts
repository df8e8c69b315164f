// Versions as deltas: a changed page as a zstd frame with the last version as its dictionary.
//
// Made only when the whole record is at least twice as large; chains are bounded, so that no version is far from a full
// record. What came content-encoded is left alone: a small change scrambles compressed bytes.

import { withoutTransferCoding } from '../../formats/http/http-message.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { Capture, NewCapture } from '../capture.ts'
import type { ContentKey } from '../contents/content-key.ts'
import { type ContentLoader, deltaBytesMax } from '../contents/content-loader.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { AnswerFacts } from '../reading/answer-facts.ts'
import type { CaptureFinder } from '../reading/capture-finder.ts'
import { StoreError } from '../store-error.ts'
import { type MadeRecords, type MainRecord, type RecordBuilder, warcDate } from './record-builder.ts'

interface DeltaOptions {
  /** 0: no deltas. */
  chainMax: number
}

interface Delta {
  main: MainRecord
  base: { content: ContentKey; depth: number }
  made: MadeRecords
}

/** Below this, record headers outweigh what a delta saves. */
const payloadBytesMin = 512
const level = 3
const timesSmallerMin = 2

export class DeltaBuilder {
  readonly #index: StoreIndex
  readonly #finder: CaptureFinder
  readonly #loader: ContentLoader
  readonly #builder: RecordBuilder
  readonly #compressor: Compressor
  readonly #options: DeltaOptions

  constructor(
    needs: {
      index: StoreIndex
      finder: CaptureFinder
      loader: ContentLoader
      builder: RecordBuilder
      compressor: Compressor
    },
    options: DeltaOptions,
  ) {
    this.#index = needs.index
    this.#finder = needs.finder
    this.#loader = needs.loader
    this.#builder = needs.builder
    this.#compressor = needs.compressor
    this.#options = options
  }

  /** Whether a payload like this can be a delta or the base of one. */
  mayHelp(facts: AnswerFacts): boolean {
    return (
      this.#options.chainMax > 0 &&
      !facts.isIncompressible &&
      facts.payload !== undefined &&
      facts.payloadBytes >= payloadBytesMin &&
      facts.payloadBytes <= deltaBytesMax
    )
  }

  /** undefined when there is nothing to make it against, or it does not pay. */
  async make(
    capture: NewCapture,
    facts: AnswerFacts,
    recordId: string,
    full: MadeRecords,
  ): Promise<Delta | undefined> {
    if (capture.contentType !== undefined || !this.mayHelp(facts)) return undefined
    const last = this.#finder.newestNotNewer(capture.url, capture.capturedAtMs)
    // What others keep is no base: not all who get a copy of this have it.
    const base = last?.isElsewhere ? undefined : last?.content && this.#index.content(last.content)
    if (base === undefined || base.sizeBytes > deltaBytesMax || base.sizeBytes < payloadBytesMin)
      return undefined
    if (base.depth + 1 > this.#options.chainMax || base.isDamaged) return undefined
    const baseBytes = await this.#baseBytes(last!.content!)
    if (baseBytes === undefined) return undefined
    const frame = await this.#compressor.zstd(facts.payload!, level, baseBytes)
    // The full record holds the payload compressed, so it can never be that much larger than this.
    if (frame.length * timesSmallerMin > facts.payloadBytes) return undefined
    const head = (capture.block as Uint8Array).subarray(0, facts.headBytes)
    const main: MainRecord = {
      kind: 'delta-zstd',
      // The frame is not chunked, whatever the answer was.
      block: Buffer.concat([withoutTransferCoding(head), frame]),
      refersTo: { id: last!.recordId, targetUri: last!.url, date: warcDate(last!.capturedAtMs) },
    }
    const about = { payloadDigest: facts.payloadDigest, isIncompressible: false }
    const made = await this.#builder.make(capture, recordId, main, about)
    if (made.mainBytes() * timesSmallerMin > full.mainBytes()) return undefined
    return { main, base: { content: last!.content!, depth: base.depth + 1 }, made }
  }

  /** A delta as another store made it; undefined when it cannot be one here. */
  copied(made: MadeRecords, { content, recordId, url, capturedAtMs }: Capture): Delta | undefined {
    const base = content && this.#index.content(content)
    if (base === undefined || base.isDamaged || base.depth + 1 > this.#options.chainMax) return undefined
    const refersTo = { id: recordId, targetUri: url, date: warcDate(capturedAtMs) }
    const main: MainRecord = { kind: 'delta-zstd', block: new Uint8Array(), refersTo }
    return { main, base: { content: content!, depth: base.depth + 1 }, made }
  }

  async #baseBytes(key: ContentKey): Promise<Uint8Array | undefined> {
    try {
      return await this.#loader.bytes(key)
    } catch (error) {
      // A damaged base is no base; the capture is kept whole.
      if (error instanceof StoreError) return undefined
      throw error
    }
  }
}
