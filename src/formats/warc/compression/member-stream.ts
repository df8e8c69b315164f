// A gzip member or zstd frame decompressed as its bytes come, however large it is.
//
// The source is left exactly behind the member when the stream ends; on damage, some way before the place where
// decompression failed, so that the search for the next member can start there. Damage has offset 0.

import { constants, crc32, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { WarcDamage } from '../damage.ts'
import type { ByteSource } from '../reading/byte-source.ts'
import { feed } from './engine-feed.ts'
import {
  checkGzipTrailer,
  gzipHeaderLength,
  gzipTrailerLength,
  inflationDamage,
  readGzipTrailer,
} from './gzip-member.ts'
import { startFrameWalk, stepFrameWalk, zstdDamage, zstdWindowLogMax } from './zstd-frame.ts'

const chunkSize = 64 * 1024
/** Name, comment and extra field of a gzip header; beyond that it is damage. */
const gzipHeaderBytesMax = 128 * 1024

/** What was decompressed last may have been of the next member already: a block of either format claims up to 128 KiB,
 * and has them, before it is found to be wrong. */
const trailBytesMax = 160 * 1024

/** Reads a source on, but leaves the last bytes read in its window until they are released. */
class Trail {
  readonly #source: ByteSource
  #held = 0

  constructor(source: ByteSource) {
    this.#source = source
  }

  /** What comes next. */
  get window(): Buffer {
    return this.#source.window.subarray(this.#held)
  }

  fill(length: number): Promise<boolean> {
    return this.#source.fill(this.#held + length)
  }

  pass(length: number): void {
    this.#held += length
    const surplus = this.#held - trailBytesMax
    if (surplus <= 0) return
    this.#source.consume(surplus)
    this.#held = trailBytesMax
  }

  release(): void {
    this.#source.consume(this.#held)
    this.#held = 0
  }
}

export async function* inflateMember(source: ByteSource): AsyncGenerator<Buffer> {
  await skipGzipHeader(source)
  const trail = new Trail(source)
  const engine = createInflateRaw({ chunkSize })
  let checksum = 0
  let length = 0
  try {
    for await (const chunk of feed(engine, deflatedChunks(trail, engine))) {
      checksum = crc32(chunk, checksum)
      length += chunk.length
      yield chunk
    }
  } catch (error) {
    throw error instanceof WarcDamage ? error : inflationDamage(error, Number.POSITIVE_INFINITY)
  }
  if (!(await trail.fill(gzipTrailerLength))) {
    throw new WarcDamage('warc-truncated-member', 0, 'the file ends within a gzip member')
  }
  checkGzipTrailer(readGzipTrailer(trail.window), checksum, length)
  trail.pass(gzipTrailerLength)
  trail.release()
}

export async function skipGzipHeader(source: ByteSource): Promise<void> {
  for (let wanted = 10; ; wanted = source.window.length + 1024) {
    const filled = await source.fill(wanted)
    const length = gzipHeaderLength(source.window)
    if (length !== undefined) {
      source.consume(length)
      return
    }
    if (!filled || wanted > gzipHeaderBytesMax) {
      throw new WarcDamage('warc-truncated-member', 0, 'gzip header has no end')
    }
  }
}

/** Passes what the engine has taken, which on its last chunk is less than it was offered. */
async function* deflatedChunks(trail: Trail, engine: { bytesWritten: number }): AsyncGenerator<Buffer> {
  let taken = 0
  while (await trail.fill(1)) {
    const chunk = trail.window.subarray(0, chunkSize)
    yield chunk
    const used = engine.bytesWritten - taken
    trail.pass(used)
    taken += used
    if (used < chunk.length) return
  }
}

export async function* decompressFrame(source: ByteSource, dictionary?: Buffer): AsyncGenerator<Buffer> {
  const params = { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax }
  const trail = new Trail(source)
  try {
    const engine = createZstdDecompress(
      dictionary ? { chunkSize, params, dictionary } : { chunkSize, params },
    )
    yield* feed(engine, frameChunks(trail))
  } catch (error) {
    throw error instanceof WarcDamage ? error : zstdDamage(error, Number.POSITIVE_INFINITY)
  }
  trail.release()
}

async function* frameChunks(trail: Trail): AsyncGenerator<Buffer> {
  const walk = startFrameWalk()
  let taken = 0
  while (taken < walk.length || walk.state !== 'end') {
    if (taken === walk.length) {
      await trail.fill(18)
      if (!stepFrameWalk(walk, trail.window)) throw truncatedFrame()
      continue
    }
    if (!(await trail.fill(1))) throw truncatedFrame()
    const chunk = trail.window.subarray(0, Math.min(walk.length - taken, chunkSize))
    yield chunk
    trail.pass(chunk.length)
    taken += chunk.length
  }
}

function truncatedFrame(): WarcDamage {
  return new WarcDamage('warc-truncated-member', 0, 'the file ends within a zstd frame')
}
