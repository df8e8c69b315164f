// Record → bytes of a WARC file: one gzip member, one zstd frame or plain text per record.
//
// encodeRecord is for blocks in memory and is synchronous; encodeRecordStream is for blocks that flow by, whose
// length and digests are known already (the crawler spools what is too large for memory). The same record gives
// the same decompressed bytes either way, and the same bytes every time.

import { createGzip, createZstdCompress } from 'node:zlib'
import { type Compression, compress } from './compression/compression.ts'
import { feed } from './compression/engine-feed.ts'
import { gzipLevelDefault } from './compression/gzip-member.ts'
import { zstdCompressOptions } from './compression/zstd-frame.ts'
import { WarcRefusal } from './damage.ts'
import type { WarcBlock, WarcRecord } from './record.ts'
import { printHead } from './record-head.ts'

const recordEnd = Buffer.from('\r\n\r\n')

export function encodeRecord(record: WarcRecord, compression: Compression): Buffer {
  return compress(printRecord(record), compression)
}

/** The record uncompressed. */
export function printRecord(record: WarcRecord): Buffer {
  return Buffer.concat(printRecordParts(record))
}

/** The same in parts, for whoever joins them elsewhere. */
export function printRecordParts({ version, fields, block }: WarcRecord): Uint8Array[] {
  return [Buffer.from(printHead(version, fields, block.length)), block, recordEnd]
}

/** Refuses, before the first byte, a head that is wrong; and, at the end, a block of another length than it says. */
export async function* encodeRecordStream(
  record: WarcRecord<WarcBlock>,
  compression: Compression,
): AsyncGenerator<Uint8Array> {
  if (compression.kind === 'none') {
    yield* printRecordStream(record)
    return
  }
  const engine =
    compression.kind === 'gzip'
      ? createGzip({ level: compression.level ?? gzipLevelDefault })
      : createZstdCompress({ ...zstdCompressOptions(compression), pledgedSrcSize: lengthOf(record) })
  yield* feed(engine, printRecordStream(record))
}

/** Uncompressed. The frames of a `.warc.zst` must say it. */
function lengthOf({ version, fields, block }: WarcRecord<WarcBlock>): number {
  return Buffer.byteLength(printHead(version, fields, block.length)) + block.length + recordEnd.length
}

async function* printRecordStream(record: WarcRecord<WarcBlock>): AsyncGenerator<Uint8Array> {
  const { block } = record
  yield Buffer.from(printHead(record.version, record.fields, block.length))
  if (block instanceof Uint8Array) {
    yield block
  } else {
    let length = 0
    for await (const chunk of block) {
      length += chunk.length
      yield chunk
    }
    if (length !== block.length) {
      throw new WarcRefusal('warc-bad-length', `block should have ${block.length} bytes but has ${length}`)
    }
  }
  yield recordEnd
}
