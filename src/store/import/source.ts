// An archive to import: bytes that can be read from any position, such as those of a file.

import { createHash } from 'node:crypto'

/** A DiskFile is one. */
export interface RandomAccess {
  sizeBytes(): Promise<number>
  /** Bytes from `position`: fewer than `length` only at the end. */
  read(position: number, length: number): Promise<Uint8Array>
}

const chunkBytes = 256 * 1024
const sampleBytes = 64 * 1024

/** The bytes from `position` up to `end`, or to the end of the source. */
export async function* chunksFrom(
  source: RandomAccess,
  position = 0,
  end = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  for (let at = position; at < end; ) {
    const chunk = await source.read(at, Math.min(chunkBytes, end - at))
    if (chunk.length === 0) return
    at += chunk.length
    yield chunk
  }
}

/** Names a source by what it holds, not by where it lies: its size, and a digest of its two ends. */
export async function identityOf(source: RandomAccess): Promise<string> {
  const size = await source.sizeBytes()
  const hash = createHash('sha256')
  hash.update(await source.read(0, Math.min(sampleBytes, size)))
  hash.update(await source.read(Math.max(0, size - sampleBytes), Math.min(sampleBytes, size)))
  return `${size}-${hash.digest('hex').slice(0, 32)}`
}

/** A stretch of another source, as a source by itself. */
export function sliceOf(source: RandomAccess, start: number, length: number): RandomAccess {
  return {
    sizeBytes: async () => length,
    read: async (position, wanted) =>
      source.read(start + position, Math.max(0, Math.min(wanted, length - position))),
  }
}
