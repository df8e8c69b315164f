// One gzip member (RFC 1952) that lies wholly in memory.
//
// The header and trailer are read here and only the deflate stream is left to zlib: zlib's own gunzip runs on into
// the members that follow, while raw inflation stops, and says where, at the end of this one.

import { constants, crc32, createInflateRaw, gzipSync, inflateRawSync } from 'node:zlib'
import { WarcDamage } from '../damage.ts'
import { ZlibEngine } from './zlib-engine.ts'

export const gzipTrailerLength = 8
export const gzipLevelDefault = 6

/** With no name and no time in its header, so that the same record always gives the same bytes. */
export function encodeGzipMember(bytes: Uint8Array, level: number = gzipLevelDefault): Buffer {
  return gzipSync(bytes, { level })
}

/** Whether these bytes can be the start of a gzip member, as far as they go. */
export function looksLikeGzip(bytes: Uint8Array, start = 0): boolean {
  return (
    bytes[start] === 0x1f &&
    bytes[start + 1] === 0x8b &&
    bytes[start + 2] === 0x08 &&
    ((bytes[start + 3] ?? 0) & 0xe0) === 0
  )
}

/** Length of the header, or undefined when the bytes end within it. Call only when they look like gzip. */
export function gzipHeaderLength(bytes: Buffer): number | undefined {
  const flags = bytes[3]
  if (flags === undefined) return undefined
  let length = 10
  if (flags & 0x04) {
    if (bytes.length < length + 2) return undefined
    length += 2 + bytes.readUInt16LE(length)
  }
  for (const flag of [0x08, 0x10]) {
    if ((flags & flag) === 0) continue
    const zero = bytes.indexOf(0, length)
    if (zero < 0) return undefined
    length = zero + 1
  }
  if (flags & 0x02) length += 2
  return bytes.length < length ? undefined : length
}

export interface DecodedMember {
  bytes: Buffer
  /** Compressed length, header and trailer included. */
  length: number
}

/** Decodes the member at the start of `bytes`; what follows it is left alone. Damage has offset 0. `memory`: for the result,
 * where it fits. */
export function decodeGzipMember(bytes: Buffer, lengthMax: number, memory?: Buffer): DecodedMember {
  const member = inflateGzipMember(bytes, lengthMax, memory)
  checkGzipTrailer(member.trailer, crc32(member.bytes), member.bytes.length)
  return member
}

/** What the bytes of a member must be like. */
export interface GzipTrailer {
  checksum: number
  /** Its lower 32 bits. */
  length: number
}

export function readGzipTrailer(bytes: Buffer, start = 0): GzipTrailer {
  return { checksum: bytes.readUInt32LE(start), length: bytes.readUInt32LE(start + 4) }
}

/** The damage does not tell the member's extent: a stream whose end was lost runs on into the next member, and may
 * well end with it. */
export function checkGzipTrailer(trailer: GzipTrailer, checksum: number, length: number): void {
  if (trailer.checksum !== checksum) {
    throw new WarcDamage('warc-bad-checksum', 0, 'CRC-32 of the gzip member does not match')
  }
  if (trailer.length !== length % 2 ** 32) {
    throw new WarcDamage('warc-bad-checksum', 0, 'length of the gzip member does not match')
  }
}

interface InflatedMember extends DecodedMember {
  trailer: GzipTrailer
}

/** The same, with its trailer left to the caller, who may have a better proof that the bytes are right. */
export function inflateGzipMember(bytes: Buffer, lengthMax: number, memory?: Buffer): InflatedMember {
  const headerLength = looksLikeGzip(bytes) ? gzipHeaderLength(bytes) : undefined
  if (headerLength === undefined) throw truncated()
  const inflated = inflate(bytes.subarray(headerLength), lengthMax, memory)
  const trailer = headerLength + inflated.inputBytes
  const length = trailer + gzipTrailerLength
  if (bytes.length < length) throw truncated()
  return { bytes: inflated.bytes, length, trailer: readGzipTrailer(bytes, trailer) }
}

/** The first decompressed bytes of a member of which only the start is at hand; empty when they cannot be had. */
export function peekGzipMember(bytes: Buffer): Buffer {
  const headerLength = looksLikeGzip(bytes) ? gzipHeaderLength(bytes) : undefined
  if (headerLength === undefined) return Buffer.alloc(0)
  try {
    return inflateRawSync(bytes.subarray(headerLength), { finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return Buffer.alloc(0)
  }
}

function truncated(): WarcDamage {
  return new WarcDamage('warc-truncated-member', 0, 'the bytes end within a gzip member')
}

interface Inflated {
  bytes: Buffer
  /** How much of the input it took. */
  inputBytes: number
}

const engine = new ZlibEngine(createInflateRaw)

/** As `info` makes it, which the types do not say. */
interface InflatedInfo {
  buffer: Buffer
  engine: { bytesWritten: number }
}

function inflate(bytes: Buffer, lengthMax: number, memory?: Buffer): Inflated {
  const chunkSize = roomFor(bytes)
  const hasRoom = memory !== undefined && memory.length >= chunkSize
  const output = hasRoom
    ? memory.subarray(0, lengthMax)
    : Buffer.allocUnsafeSlow(Math.min(chunkSize, lengthMax))
  const took = engine.run(bytes, output)
  if (took !== undefined) {
    return { bytes: output.subarray(0, took.outputBytes), inputBytes: took.inputBytes }
  }
  try {
    const options = { maxOutputLength: lengthMax, info: true, chunkSize }
    const { buffer, engine } = inflateRawSync(bytes, options) as unknown as InflatedInfo
    return { bytes: buffer, inputBytes: engine.bytesWritten }
  } catch (error) {
    throw inflationDamage(error, lengthMax)
  }
}

const roomBytesMin = 16 * 1024
const roomBytesMax = 1024 * 1024

/** For the result in one piece: what grows piece by piece is copied together in the end, which takes half as long again as
 * inflating does. The last bytes tell the size, if the member is the last one here; whoever lies gets no more than is
 * usual for so many bytes. */
function roomFor(bytes: Buffer): number {
  if (bytes.length < gzipTrailerLength) return roomBytesMin
  const told = bytes.readUInt32LE(bytes.length - 4) + 1
  return Math.max(roomBytesMin, Math.min(told, 32 * bytes.length, roomBytesMax))
}

/** What an error of zlib says about the member. */
export function inflationDamage(error: unknown, lengthMax: number): WarcDamage {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'Z_BUF_ERROR') return truncated()
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return new WarcDamage('warc-too-large', 0, `gzip member is larger than ${lengthMax} bytes`)
  }
  if (code?.startsWith('Z_') !== true) throw error
  return new WarcDamage('warc-bad-compression', 0, `gzip member does not inflate: ${message}`, {
    cause: error,
  })
}
