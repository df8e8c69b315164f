// The payload of a record: of an HTTP message its body after transfer-decoding and before content-decoding,
// of anything else the whole block.

import { ChunkedDecoder } from '../http/chunked-decoder.ts'
import type { FieldList } from '../http/field-list.ts'
import { type HttpHead, HttpSplitter, isChunked, parseHttpHead } from '../http/http-message.ts'
import { recordEndLength } from './reading/record-decoding.ts'
import { typeOf, type WarcBlock, type WarcRecord } from './record.ts'

/** Whether the block is an HTTP message. Old tools leave Content-Type out; then the record's type decides. */
export function holdsHttp(record: { fields: FieldList }): boolean {
  const contentType = record.fields.get('Content-Type')
  if (contentType !== undefined) return /^application\/http\b/i.test(contentType)
  const type = typeOf(record)
  return type === 'response' || type === 'request' || type === 'revisit'
}

interface HttpContent {
  /** undefined when the block is no HTTP message or lacks a head. */
  head: HttpHead | undefined
  payload: Uint8Array
}

/** Head and payload of a record in memory. The payload shares its memory unless it was chunked. */
export function contentOf(record: Pick<WarcRecord, 'fields' | 'block'> & Partial<WarcRecord>): HttpContent {
  const head = holdsHttp(record) ? parseHttpHead(record.block) : undefined
  if (head === undefined) return { head, payload: record.block }
  const body = record.block.subarray(head.length)
  if (!isChunked(head)) return { head, payload: body }
  const decoder = new ChunkedDecoder()
  const parts = decoder.push(body)
  parts.push(...decoder.end())
  return { head, payload: parts.length === 1 ? parts[0]! : Buffer.concat(parts) }
}

export function payloadOf(record: WarcRecord): Uint8Array {
  return contentOf(record).payload
}

/** Where a payload of this size lies in a record, if it is not chunked and the record ends as it should: found without a look
 * at the head, for whoever knows the payload's digest. */
export function payloadAtEnd(record: Buffer, sizeBytes: number): Buffer | undefined {
  const end = record.length - 4
  const start = end - sizeBytes
  if (start < 0 || recordEndLength(record, end) !== 4 || !isAfterEmptyLine(record, start)) return undefined
  return record.subarray(start, end)
}

function isAfterEmptyLine(bytes: Buffer, place: number): boolean {
  if (bytes[place - 1] !== 0x0a) return false
  return bytes[bytes[place - 2] === 0x0d ? place - 3 : place - 2] === 0x0a
}

/** Turns the bytes of a block, as they come, into those of its payload. */
export class PayloadDecoder {
  readonly #splitter: HttpSplitter | undefined
  #chunked: ChunkedDecoder | undefined
  #headSeen = false

  constructor(record: { fields: FieldList }) {
    this.#splitter = holdsHttp(record) ? new HttpSplitter() : undefined
  }

  /** undefined until it has come whole, and for good when there is none. */
  get head(): HttpHead | undefined {
    return this.#splitter?.head
  }

  /** Whether body and payload may differ. Certain once the head has come. */
  get isChunked(): boolean {
    return this.#chunked !== undefined
  }

  /** The bytes of the body as recorded, and what they decode to: the same unless the body is chunked. */
  push(chunk: Uint8Array): { body: Uint8Array; payload: Uint8Array[] } {
    const body = this.#splitter === undefined ? chunk : this.#splitter.push(chunk)
    return { body, payload: this.#decode(body) }
  }

  end(): { body: Uint8Array; payload: Uint8Array[] } {
    const body = this.#splitter?.end() ?? new Uint8Array(0)
    const payload = this.#decode(body)
    if (this.#chunked !== undefined) payload.push(...this.#chunked.end())
    return { body, payload }
  }

  #decode(body: Uint8Array): Uint8Array[] {
    if (!this.#headSeen && this.head !== undefined) {
      this.#headSeen = true
      if (isChunked(this.head)) this.#chunked = new ChunkedDecoder()
    }
    if (body.length === 0) return []
    return this.#chunked === undefined ? [body] : this.#chunked.push(body)
  }
}

/** The payload of a record whose block may be too large for memory. */
export async function* payloadChunks(record: WarcRecord<WarcBlock>): AsyncGenerator<Uint8Array> {
  if (record.block instanceof Uint8Array) {
    yield payloadOf(record as WarcRecord)
    return
  }
  const decoder = new PayloadDecoder(record)
  for await (const chunk of record.block) yield* decoder.push(chunk).payload
  yield* decoder.end().payload
}
