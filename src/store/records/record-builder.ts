// Makes the records of a capture and compresses them as their volume wants.

import { captureRecords } from '../../formats/warc/capture-records.ts'
import type { Compression } from '../../formats/warc/compression/compression.ts'
import { nameDictionary, type ZstdOptions } from '../../formats/warc/compression/zstd-frame.ts'
import type { RevisitKind, WarcBlock, WarcRecord } from '../../formats/warc/record.ts'
import { type Revisited, resource } from '../../formats/warc/record-builder.ts'
import { encodeRecordStream, printRecord, printRecordParts } from '../../formats/warc/record-encoding.ts'
import type { Digest } from '../../model/digest.ts'
import type { LargeBlock } from '../../model/large-block.ts'
import { printWarcDate, printWarcDateMs } from '../../model/timestamp.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { Random } from '../../platform/random.ts'
import type { NewCapture } from '../capture.ts'
import { type ContentKey, printContentKey } from '../contents/content-key.ts'
import type { LargeContent } from '../contents/contents.ts'
import { markedElsewhere } from '../elsewhere/elsewhere-mark.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'
import { isCompressedLike } from '../volumes/volume-compression.ts'
import { markedForCaptures } from './capture-content-mark.ts'
import { markedImported, markedImportedRevisit } from './import-mark.ts'
import { markedProven } from './proof-mark.ts'
import { markedRequest } from './request-mark.ts'

/** One capture's records, ready for a volume: the main one, and the others behind it. */
export interface MadeRecords {
  bytes: Uint8Array | AsyncIterable<Uint8Array>
  /** Of the main record, as stored. Of records that flow by known at their end. */
  mainBytes(): number
}

/** What the capture's main record is to be. */
export type MainRecord =
  | { kind: 'full' }
  | {
      kind: RevisitKind
      block: Uint8Array
      refersTo: Revisited
      /** Other peers keep the payload, of so many bytes. */
      elsewhereBytes?: number | undefined
    }

// The dictionary is for records that are all heads. There more effort saves a twelfth, and takes no longer than what else
// is done for it. On a page of 19 kB it saves 3 % and doubles the time (measured: 167 microseconds against 84): pages go
// without, and only name it, which every frame of a file with a dictionary must.
const smallBytesMax = 4 * 1024
const smallLevel = 9

export class RecordBuilder {
  readonly #compressor: Compressor
  readonly #random: Random
  readonly #compression: Compression

  constructor(needs: { compressor: Compressor; random: Random }, compression: Compression) {
    this.#compressor = needs.compressor
    this.#random = needs.random
    this.#compression = compression
  }

  async make(
    capture: NewCapture,
    recordId: string,
    main: MainRecord,
    facts: { payloadDigest: Digest | undefined; isIncompressible: boolean },
  ): Promise<MadeRecords> {
    const isLarge = main.kind === 'full' && !(capture.block instanceof Uint8Array)
    const records = this.#recordsOf(capture, recordId, main, facts.payloadDigest)
    if (isLarge) return this.#flowing(records, facts.isIncompressible)
    const encoded = await Promise.all(
      (records as WarcRecord[]).map((record, place) =>
        this.#encode(record, facts.isIncompressible && place === 0),
      ),
    )
    return {
      bytes: encoded.length === 1 ? encoded[0]! : Buffer.concat(encoded),
      mainBytes: () => encoded[0]!.length,
    }
  }

  /** The record of a content that belongs to no capture. `isForCaptures`: nobody put it. */
  async content(
    key: ContentKey,
    content: Uint8Array | LargeContent,
    facts: { id: string; nowMs: number; contentType: string; isForCaptures?: boolean },
  ): Promise<MadeRecords['bytes']> {
    const isWhole = content instanceof Uint8Array
    const plain = resource<WarcBlock>({
      id: facts.id,
      date: warcDate(facts.nowMs),
      targetUri: contentUri(key),
      contentType: facts.contentType,
      block: isWhole ? content : flowingBlock(content.sizeBytes, content),
      blockDigest: key.digest,
      payloadDigest: key.digest,
    })
    const record = facts.isForCaptures ? markedForCaptures(plain) : plain
    return isWhole ? this.#encode(record as WarcRecord, false) : this.#flowing([record], false).bytes
  }

  /** Whether a record of a volume with that dictionary is compressed as our volumes are. */
  isCompressedLike(stored: { start: Uint8Array; dictionary: Uint8Array | undefined }): boolean {
    return isCompressedLike(this.#compression, stored)
  }

  /** A record too large for memory. */
  encodeFlowing(record: WarcRecord<WarcBlock>): AsyncIterable<Uint8Array> {
    return encodeRecordStream(record, this.#compression)
  }

  /** A record by itself, compressed as volumes are. */
  encode(record: WarcRecord): Promise<Uint8Array> {
    return this.#encode(record, false)
  }

  #recordsOf(
    capture: NewCapture,
    recordId: string,
    main: MainRecord,
    payloadDigest: Digest | undefined,
  ): WarcRecord<WarcBlock>[] {
    const { contentType } = capture
    const targetUri = capture.targetUri ?? capture.url.href
    const date = warcDate(capture.capturedAtMs)
    if (contentType !== undefined && main.kind === 'full') {
      const { ipAddress, truncated } = capture
      const block = warcBlock(capture.block)
      return [
        markedBy(
          resource({
            id: recordId,
            date,
            targetUri,
            contentType,
            block,
            payloadDigest,
            ipAddress,
            truncated,
          }),
          capture,
        ),
      ]
    }
    const made = captureRecords<WarcBlock>({
      date,
      targetUri,
      ipAddress: capture.ipAddress,
      protocols: capture.protocols,
      truncated: main.kind === 'identical-payload-digest' ? 'length' : capture.truncated,
      response:
        main.kind === 'full'
          ? { id: recordId, block: warcBlock(capture.block), payloadDigest }
          : {
              id: recordId,
              block: main.block,
              payloadDigest,
              // A head, whose rot the checksums tell; whoever could forge it could forge this as well. It would be a
              // tenth of the record.
              blockDigest: 'none',
              revisited: { kind: main.kind, refersTo: main.refersTo },
            },
      request: capture.request && { id: this.#random.uuid(), block: capture.request },
      metadata: capture.metadata && { id: this.#random.uuid(), fields: capture.metadata },
    })
    const isElsewhere = main.kind !== 'full' && main.elsewhereBytes !== undefined
    const first = isElsewhere ? markedElsewhere(made.response, main.elsewhereBytes!) : made.response
    return [markedBy(first, capture), made.request, made.metadata].filter((record) => record !== undefined)
  }

  async #encode(record: WarcRecord, isIncompressible: boolean): Promise<Uint8Array> {
    const compression = this.#compressionFor(isIncompressible)
    switch (compression.kind) {
      case 'gzip':
        return this.#compressor.gzip(printRecordParts(record), compression.level ?? 6)
      case 'zstd':
        return this.#zstd(printRecordParts(record), compression)
      case 'none':
        return printRecord(record)
    }
  }

  async #zstd(parts: readonly Uint8Array[], { level = 3, dictionary }: ZstdOptions): Promise<Uint8Array> {
    const length = parts.reduce((sum, part) => sum + part.length, 0)
    if (length <= smallBytesMax && dictionary !== undefined)
      return this.#compressor.zstd(parts, Math.max(level, smallLevel), dictionary)
    // Of another one it is not known whether frames can just name it.
    if (dictionary !== recordDictionary) return this.#compressor.zstd(parts, level, dictionary)
    return nameDictionary(await this.#compressor.zstd(parts, level), dictionary)
  }

  /** What is compressed already is only wrapped: a gzip member of stored blocks, so that any tool reads the file. */
  #compressionFor(isIncompressible: boolean): Compression {
    if (!isIncompressible) return this.#compression
    if (this.#compression.kind === 'gzip') return { kind: 'gzip', level: 0 }
    return this.#compression.kind === 'zstd' ? { ...this.#compression, level: 1 } : this.#compression
  }

  #flowing(records: WarcRecord<WarcBlock>[], isIncompressible: boolean): MadeRecords {
    let mainBytes = 0
    const compressionOf = (place: number) => this.#compressionFor(isIncompressible && place === 0)
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (const [place, record] of records.entries()) {
        for await (const chunk of encodeRecordStream(record, compressionOf(place))) {
          if (place === 0) mainBytes += chunk.length
          yield chunk
        }
      }
    }
    return { bytes: bytes(), mainBytes: () => mainBytes }
  }
}

export function warcDate(ms: number): string {
  return ms % 1000 === 0 ? printWarcDate(ms) : printWarcDateMs(ms)
}

/** The target of a record that holds a content without a URL. */
export function contentUri(key: ContentKey): string {
  return `urn:${printContentKey(key)}`
}

function warcBlock(block: Uint8Array | LargeBlock): WarcBlock {
  if (block instanceof Uint8Array) return block
  return flowingBlock(block.length, block)
}

function flowingBlock(length: number, source: { chunks(): AsyncIterable<Uint8Array> }): WarcBlock {
  return { length, [Symbol.asyncIterator]: () => source.chunks()[Symbol.asyncIterator]() }
}

function markedBy(record: WarcRecord<WarcBlock>, capture: NewCapture): WarcRecord<WarcBlock> {
  const { importedBy, targetUri, url } = capture
  const asked = targetUri === undefined ? record : markedRequest(record, url.href)
  const proven = markedProven(asked, capture)
  const marked = capture.isImportedRevisit ? markedImportedRevisit(proven) : proven
  return importedBy === undefined ? marked : markedImported(marked, importedBy)
}
