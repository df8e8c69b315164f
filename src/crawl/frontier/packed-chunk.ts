// Packed chunk: a chunk of a lane's queue that is full, deflated. Most of a large queue is such chunks, which nobody looks
// at until their turn comes; URLs of one host deflate to a fifth or a third.
//
// A packed chunk starts with a byte that no chunk as text starts with. Both kinds are read alike.

import { deflateRawSync, inflateRawSync } from 'node:zlib'

const packedMark = 0
/** Chunks are short: a small window costs less to set up. */
const deflateOptions = { level: 6, windowBits: 12, memLevel: 4 }
/** Far more than a chunk ever has. */
const textBytesMax = 1 << 20

export function packChunk(text: string): Uint8Array {
  const deflated = deflateRawSync(Buffer.from(text, 'latin1'), deflateOptions)
  const packed = Buffer.allocUnsafe(1 + deflated.length)
  packed[0] = packedMark
  packed.set(deflated, 1)
  return packed
}

export function chunkText(stored: Uint8Array): string {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  if (bytes[0] !== packedMark) return bytes.toString('latin1')
  return inflateRawSync(bytes.subarray(1), { maxOutputLength: textBytesMax }).toString('latin1')
}
