// The records of a capture as another store gave them, verified, and ready for a file of gzip members.
//
// Nothing is believed: the payload must have the digest that the capture is known by. What is small stays in memory, what is large
// goes through the spool, so that its last byte is verified before its first one goes out.

import type { FieldList } from '../../../formats/http/field-list.ts'
import {
  httpHeadBytesMax,
  isChunked,
  parseHttpHead,
  withoutTransferCoding,
} from '../../../formats/http/http-message.ts'
import { gzip } from '../../../formats/warc/compression/compression.ts'
import { looksLikeGzip } from '../../../formats/warc/compression/gzip-member.ts'
import { WarcDamage } from '../../../formats/warc/damage.ts'
import { dechunked, withBlock } from '../../../formats/warc/dechunking.ts'
import { contentOf, holdsHttp, payloadChunks } from '../../../formats/warc/payload.ts'
import { readWarc } from '../../../formats/warc/reading/reader.ts'
import { decodeRecord } from '../../../formats/warc/reading/record-decoding.ts'
import type { WarcBlock, WarcRecord } from '../../../formats/warc/record.ts'
import { encodeRecordStream, printRecord } from '../../../formats/warc/record-encoding.ts'
import { type Digest, Digester, equalDigests } from '../../../model/digest.ts'
import { joined } from '../../../model/listed.ts'
import type { Compressor } from '../../../platform/compressor.ts'
import type { CaptureCopy } from '../../../store/copying/copying.ts'
import type { Spool, SpoolFile } from '../../../store/spool.ts'
import { recordDictionary } from '../../../store/volumes/record-dictionary.ts'

export interface FetchedRecords {
  readonly fields: FieldList
  /** Of the answer, where there was HTTP. */
  readonly head: Uint8Array | undefined
  main(): Promise<Uint8Array> | AsyncIterable<Uint8Array>
  readonly companions: Uint8Array
  /** As they came. */
  copy(): CaptureCopy
  discard(): Promise<void>
}

interface Needs {
  readonly spool: Spool
  readonly compressor: Compressor
}

const memoryBytesMax = 2 * 1024 * 1024
const level = 6

/** undefined when it is not what it should be. `digest`: of the payload that must be in it. */
export async function fetchedRecords(
  needs: Needs,
  chunks: AsyncIterable<Uint8Array>,
  digest: Digest | undefined,
): Promise<FetchedRecords | undefined> {
  const gathered = await gather(needs.spool, chunks)
  try {
    return gathered instanceof Uint8Array
      ? await inMemory(needs, gathered, digest)
      : await spooled(needs, gathered, digest)
  } catch (error) {
    if (!(gathered instanceof Uint8Array)) await gathered.discard()
    if (error instanceof WarcDamage) return undefined
    throw error
  }
}

async function gather(spool: Spool, chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array | SpoolFile> {
  const parts: Uint8Array[] = []
  let length = 0
  let file: SpoolFile | undefined
  try {
    for await (const chunk of chunks) {
      length += chunk.length
      if (length <= memoryBytesMax) parts.push(chunk)
      else {
        file ??= await begun(spool, parts)
        await file.append(chunk)
      }
    }
  } catch (error) {
    await file?.discard()
    throw error
  }
  return file ?? Buffer.concat(parts)
}

async function begun(spool: Spool, parts: readonly Uint8Array[]): Promise<SpoolFile> {
  const file = await spool.open()
  for (const part of parts) await file.append(part)
  return file
}

async function inMemory(
  { compressor }: Needs,
  bytes: Uint8Array,
  digest: Digest | undefined,
): Promise<FetchedRecords | undefined> {
  const [first, ...others] = [...decoded(bytes)]
  if (first === undefined) return undefined
  const { record } = first
  if (digest !== undefined && !equalDigests(digestOfPayload([contentOf(record).payload]), digest))
    return undefined
  const member = async ({ record, stored }: Decoded): Promise<Uint8Array> => {
    const plain = dechunked(record)
    return plain === record && looksLikeGzip(stored) ? stored : compressor.gzip(printRecord(plain), level)
  }
  return {
    fields: record.fields,
    head: headIn(record, record.block),
    main: () => member(first),
    companions: Buffer.concat(await Promise.all(others.map(member))),
    copy: () => bytes,
    discard: async () => {},
  }
}

interface Decoded {
  readonly record: WarcRecord
  readonly stored: Uint8Array
}

function* decoded(bytes: Uint8Array): Generator<Decoded> {
  for (let at = 0; at < bytes.length; ) {
    const record = decodeRecord(bytes.subarray(at), { dictionary: recordDictionary })
    yield { record, stored: bytes.subarray(at, at + record.length) }
    at += record.length
  }
}

async function spooled(
  { compressor }: Needs,
  file: SpoolFile,
  digest: Digest | undefined,
): Promise<FetchedRecords | undefined> {
  let main: { fields: FieldList; head: Uint8Array | undefined } | undefined
  let payloadBytes = 0
  const companions: Uint8Array[] = []
  for await (const { record } of recordsIn(file)) {
    if (main !== undefined)
      companions.push(await compressor.gzip(printRecord(await inOnePiece(record)), level))
    else {
      const { fields } = record
      let start: Uint8Array = new Uint8Array()
      const payload = new Digester('sha256')
      for await (const chunk of payloadChunks(watched(record, (block) => (start = withMore(start, block))))) {
        payload.update(chunk)
        payloadBytes += chunk.length
      }
      if (digest !== undefined && !equalDigests(payload.finish(), digest)) break
      main = { fields, head: headIn(record, start) }
    }
  }
  if (main === undefined) {
    await file.discard()
    return undefined
  }
  const { head } = main
  return {
    ...main,
    main: () => encoded(file, head, payloadBytes),
    copy: () => file.chunks(),
    companions: Buffer.concat(companions),
    discard: () => file.discard(),
  }
}

/** The first record once more, as a gzip member. */
async function* encoded(
  file: SpoolFile,
  head: Uint8Array | undefined,
  payloadBytes: number,
): AsyncGenerator<Uint8Array> {
  for await (const { record } of recordsIn(file)) {
    yield* encodeRecordStream(dechunkedFlow(record, head, payloadBytes), gzip)
    return
  }
}

function dechunkedFlow(
  record: WarcRecord<WarcBlock>,
  head: Uint8Array | undefined,
  payloadBytes: number,
): WarcRecord<WarcBlock> {
  const parsed = head && parseHttpHead(head)
  if (parsed === undefined || !isChunked(parsed)) return record
  const start = withoutTransferCoding(head!)
  const block = {
    length: start.length + payloadBytes,
    async *[Symbol.asyncIterator]() {
      yield start
      yield* payloadChunks(record)
    },
  }
  return withBlock(record, block, undefined)
}

async function* recordsIn(file: SpoolFile): AsyncGenerator<{ record: WarcRecord<WarcBlock> }> {
  for await (const item of readWarc(file.chunks(), { dictionary: recordDictionary })) {
    if (item.kind === 'damage') throw item.error
    yield item
  }
}

function watched(record: WarcRecord<WarcBlock>, see: (chunk: Uint8Array) => void): WarcRecord<WarcBlock> {
  const { block } = record
  if (block instanceof Uint8Array) {
    see(block)
    return record
  }
  const seen = {
    length: block.length,
    async *[Symbol.asyncIterator]() {
      for await (const chunk of block) {
        see(chunk)
        yield chunk
      }
    },
  }
  return { ...record, block: seen }
}

function withMore(start: Uint8Array, more: Uint8Array): Uint8Array {
  return start.length >= httpHeadBytesMax ? start : Buffer.concat([start, more.subarray(0, httpHeadBytesMax)])
}

async function inOnePiece(record: WarcRecord<WarcBlock>): Promise<WarcRecord> {
  const { block } = record
  if (block instanceof Uint8Array) return { ...record, block }
  return { ...record, block: await joined(block) }
}

function headIn(record: { fields: FieldList }, block: Uint8Array): Uint8Array | undefined {
  const head = holdsHttp(record) ? parseHttpHead(block) : undefined
  return head && block.subarray(0, head.length)
}

function digestOfPayload(chunks: readonly Uint8Array[]): Digest {
  const digester = new Digester('sha256')
  for (const chunk of chunks) digester.update(chunk)
  return digester.finish()
}
