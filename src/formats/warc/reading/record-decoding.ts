// Bytes of one record, compressed or not and wholly in memory → record.
//
// This is how the store reads back what it wrote: it knows offset and length. Whole files, and records too large
// for memory, are for reader.ts. Damage has the offset of the bytes given, which is 0.

import { crc32 } from 'node:zlib'
import { findEmptyLine } from '../../http/field-list.ts'
import { bufferView } from '../../wire/buffer-view.ts'
import {
  checkGzipTrailer,
  type GzipTrailer,
  inflateGzipMember,
  looksLikeGzip,
} from '../compression/gzip-member.ts'
import { decodeZstdFrame, zstdFrameLength, zstdMagicAt } from '../compression/zstd-frame.ts'
import { WarcDamage, type WarcWarning } from '../damage.ts'
import type { WarcRecord } from '../record.ts'
import { headBytesMax, parseHead } from '../record-head.ts'

export interface DecodedRecord extends WarcRecord {
  readonly warnings: readonly WarcWarning[]
  /** Bytes of the input that the record takes up; the next record starts there. */
  readonly length: number
}

interface DecodeOptions {
  /** Of the zstd dictionary frame at the start of the file, if there was one. */
  dictionary?: Uint8Array | undefined
  /** A record that decompresses to more is refused as too large, long before it fills the memory. */
  recordBytesMax?: number | undefined
  /** For whoever looks at many records and keeps none: a record that was compressed may be put here. It is gone when the memory is
   * used again. */
  memory?: Buffer | undefined
}

const recordBytesMaxDefault = 64 * 1024 * 1024

/** A record as bytes that are not compressed, and not yet looked at. */
export interface UnpackedRecord {
  readonly bytes: Buffer
  /** Of the input; undefined when it was not compressed: then its head tells. */
  readonly length: number | undefined
  /** What a gzip member says of the bytes, and nobody has checked. */
  readonly trailer: GzipTrailer | undefined
}

/** The record at the start of `bytes`. Throws WarcDamage. */
export function decodeRecord(bytes: Uint8Array, options: DecodeOptions = {}): DecodedRecord {
  return readUnpacked(unpackRecord(bytes, options))
}

/** The first half of `decodeRecord`, for whoever can tell without the other that the bytes are right. */
export function unpackRecord(bytes: Uint8Array, options: DecodeOptions = {}): UnpackedRecord {
  const input = bufferView(bytes)
  const lengthMax = options.recordBytesMax ?? recordBytesMaxDefault
  if (looksLikeGzip(input)) return inflateGzipMember(input, lengthMax, options.memory)
  if (zstdMagicAt(input) !== 'frame') return { bytes: input, length: undefined, trailer: undefined }
  const length = zstdFrameLength(input)
  if (length === undefined) {
    throw new WarcDamage('warc-truncated-member', 0, 'the bytes end within a zstd frame')
  }
  const unpacked = decodeZstdFrame(input.subarray(0, length), lengthMax, options.dictionary)
  return { bytes: unpacked, length, trailer: undefined }
}

/** The other half: throws WarcDamage when the bytes are not those that were packed. */
export function readUnpacked({ bytes, length, trailer }: UnpackedRecord): DecodedRecord {
  if (trailer !== undefined) checkGzipTrailer(trailer, crc32(bytes), bytes.length)
  const record = parseRecord(bytes)
  return length === undefined ? record : { ...record, length }
}

/** The record at the start of uncompressed bytes. Throws WarcDamage. */
export function parseRecord(bytes: Buffer): DecodedRecord {
  const headEnd = findEmptyLine(bytes.length > headBytesMax ? bytes.subarray(0, headBytesMax) : bytes)
  if (headEnd < 0) throw headDamage(bytes)
  const { version, fields, blockLength, warnings } = parseHead(bytes.subarray(0, headEnd), 0)
  const blockEnd = headEnd + blockLength
  if (bytes.length < blockEnd) {
    throw blockTruncation(blockLength, bytes.length - headEnd)
  }
  const endLength = recordEndLength(bytes, blockEnd)
  if (endLength < 4) warnings.push('missing-record-end')
  return { version, fields, block: bytes.subarray(headEnd, blockEnd), warnings, length: blockEnd + endLength }
}

export function blockTruncation(expected: number, actual: number): WarcDamage {
  return new WarcDamage('warc-truncated-block', 0, `block should have ${expected} bytes but has ${actual}`)
}

/** Why no head was found in these bytes. */
export function headDamage(bytes: Buffer): WarcDamage {
  if (!'WARC/'.startsWith(bytes.toString('latin1', 0, 5)) || bytes.length === 0) {
    const start = JSON.stringify(bytes.toString('latin1', 0, 20))
    return new WarcDamage('warc-bad-version', 0, `no WARC version line but ${start}`)
  }
  return bytes.length >= headBytesMax
    ? new WarcDamage('warc-head-too-large', 0, `head is larger than ${headBytesMax} bytes`)
    : new WarcDamage('warc-truncated-head', 0, 'the bytes end within the head')
}

/** Length of the line ends that close a record, two of them when all is well: 4 for CR LF CR LF. */
export function recordEndLength(bytes: Buffer, start: number): number {
  if (
    bytes[start] === 0x0d &&
    bytes[start + 1] === 0x0a &&
    bytes[start + 2] === 0x0d &&
    bytes[start + 3] === 0x0a
  ) {
    return 4
  }
  let length = 0
  while (length < 4 && (bytes[start + length] === 0x0a || bytes[start + length] === 0x0d)) length++
  return length
}
