// A record of a source as the import works on it: its block in memory or in the spool, its digests judged.

import type { FieldList } from '../../formats/http/field-list.ts'
import { httpHeadBytesMax, parseHttpHead } from '../../formats/http/http-message.ts'
import { DigestCheck, type DigestVerdicts, judgeDigests } from '../../formats/warc/digest-check.ts'
import { holdsHttp, PayloadDecoder } from '../../formats/warc/payload.ts'
import { httpResponseType, typeOf, type WarcBlock, type WarcRecord } from '../../formats/warc/record.ts'
import type { Digest } from '../../model/digest.ts'
import type { LargeBlock } from '../../model/large-block.ts'
import type { ContentDigest } from '../contents/content-digest.ts'
import type { Spool, SpoolFile } from '../spool.ts'

export interface ReadRecord {
  readonly fields: FieldList
  readonly block: Uint8Array | LargeBlock
  /** Of the record, or of the member that holds it. */
  readonly offset: number
  readonly verdicts: DigestVerdicts
  /** As it was worked out for them, where it was. */
  readonly payloadDigest?: Digest | undefined
  /** Only the beginning of the block is here. */
  readonly isCut?: boolean | undefined
  /** When its block is no longer needed. */
  discard(): Promise<void>
}

/** Reads a record to its end. Throws WarcDamage when its block cannot be read. */
export async function readRecord(
  needs: { spool: Spool; digest: ContentDigest },
  record: WarcRecord<WarcBlock>,
  offset: number,
): Promise<ReadRecord> {
  const { fields, block } = record
  if (block instanceof Uint8Array) return readInMemory(asAnswer({ fields, block }), offset)
  const file = await needs.spool.open()
  try {
    const { large, verdicts } = await spooled(file, record, needs.digest)
    return { fields, block: large, offset, verdicts, discard: () => file.discard() }
  } catch (error) {
    await file.discard()
    throw error
  }
}

/** Reads a record to its end, and keeps its beginning. Throws WarcDamage when its block cannot be read. */
export async function readStart(
  { fields, block }: WarcRecord<WarcBlock>,
  offset: number,
  bytesMax: number,
): Promise<ReadRecord> {
  let start = Buffer.alloc(0)
  for await (const chunk of block instanceof Uint8Array ? [block] : block) {
    if (start.length < bytesMax) start = Buffer.concat([start, chunk.subarray(0, bytesMax - start.length)])
  }
  const verdicts = { block: 'not judged', payload: 'not judged' } as const
  return { fields, block: start, offset, verdicts, isCut: true, discard: async () => {} }
}

/** Some tools give an answer the type of its content: what it is shows. */
function asAnswer(record: { fields: FieldList; block: Uint8Array }): {
  fields: FieldList
  block: Uint8Array
} {
  const { fields, block } = record
  if (typeOf(record) !== 'response' || holdsHttp(record) || parseHttpHead(block) === undefined) return record
  return { fields: fields.without('Content-Type').with('Content-Type', httpResponseType), block }
}

export function readInMemory(record: { fields: FieldList; block: Uint8Array }, offset: number): ReadRecord {
  const { fields, block } = record
  return { fields, block, offset, ...judgeDigests(record), discard: async () => {} }
}

async function spooled(
  file: SpoolFile,
  record: WarcRecord<WarcBlock>,
  digest: ContentDigest,
): Promise<{ large: LargeBlock; verdicts: DigestVerdicts }> {
  const check = new DigestCheck(record)
  const decoder = new PayloadDecoder(record)
  const payloadDigest = digest.start()
  let payloadBytes = 0
  const take = (payload: Uint8Array[]): void => {
    for (const chunk of payload) {
      payloadDigest.update(chunk)
      payloadBytes += chunk.length
    }
  }
  for await (const chunk of record.block as Exclude<WarcBlock, Uint8Array>) {
    check.update(chunk)
    take(decoder.push(chunk).payload)
    await file.append(chunk)
  }
  take(decoder.end().payload)
  const head = await file.read(0, holdsHttp(record) ? httpHeadBytesMax : 0)
  const large: LargeBlock = {
    head,
    length: file.sizeBytes,
    payloadBytes,
    payloadDigest: payloadDigest.finish(),
    chunks: () => file.chunks(),
  }
  return { large, verdicts: check.finish() }
}
