// Packed chunk: a chunk of a lane's queue that is full, deflated. Most of a large queue is such chunks, which nobody looks
// at until their turn comes; URLs of one host deflate to a fifth or a third.
//
// A packed chunk starts with a byte that no chunk as text starts with. Both kinds are read alike.

import { deflateRawSync, inflateRawSync } from 'node:zlib'

const packedMark = '\0'
/** Chunks are short: a small window costs less to set up. */
const deflateOptions = { level: 6, windowBits: 12, memLevel: 4, chunkSize: 2_048 }
/** Far more than a chunk ever has. */
const textBytesMax = 1 << 20

export function packChunk(text: string): string {
  return packedMark + deflateRawSync(Buffer.from(text, 'latin1'), deflateOptions).toString('latin1')
}

export function chunkText(stored: string): string {
  if (!stored.startsWith(packedMark)) return stored
  const deflated = Buffer.from(stored, 'latin1').subarray(1)
  return inflateRawSync(deflated, { maxOutputLength: textBytesMax, chunkSize: 2_048 }).toString('latin1')
}
