// Records without chunked transfer-coding, for other tools to read.
//
// Tools differ in whose Transfer-Encoding they believe when a revisit borrows the payload of another record, and in whether a
// payload digest is of the chunks. Where nothing is chunked all of them agree.

import { type Digest, digestOf, printDigest } from '../../model/digest.ts'
import { FieldList } from '../http/field-list.ts'
import { isChunked, withoutTransferCoding } from '../http/http-message.ts'
import { contentOf } from './payload.ts'
import { typeOf, type WarcBlock, type WarcRecord } from './record.ts'

/** The same record, if its block is no chunked answer. */
export function dechunked(record: WarcRecord): WarcRecord {
  const { head, payload } = contentOf(record)
  if (head === undefined || !isChunked(head)) return record
  const start = withoutTransferCoding(record.block.subarray(0, head.length))
  const isRevisit = typeOf(record) === 'revisit'
  const block = Buffer.concat([start, payload])
  const plain = withBlock(record, block, isRevisit ? undefined : digestOf('sha256', payload))
  return { ...plain, fields: plain.fields.with('WARC-Block-Digest', printDigest(digestOf('sha256', block))) }
}

/** A record with another block of the same kind. `payloadDigest`: as it was, when not given. */
export function withBlock<Block extends WarcBlock>(
  record: WarcRecord<WarcBlock>,
  block: Block,
  payloadDigest: Digest | undefined,
): WarcRecord<Block> {
  const fields = record.fields.without('WARC-Block-Digest').without('Content-Length')
  const digested =
    payloadDigest === undefined
      ? fields
      : fields.without('WARC-Payload-Digest').with('WARC-Payload-Digest', printDigest(payloadDigest))
  return { ...record, fields: new FieldList([...digested, ['Content-Length', String(block.length)]]), block }
}
