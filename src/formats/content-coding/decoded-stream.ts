// Undoes content-codings as the bytes flow, holding no more than a piece of each.
//
// As forgiving as browsers are: rubbish behind the end and a wrong checksum are passed over, a coding that is only
// claimed is not undone, and what came before a damage is given. So the wrappers of gzip and zlib are read here and only
// the deflate stream is left to zlib, which would check them. Failures of the source itself are thrown on.

import type { Transform } from 'node:stream'
import { createBrotliDecompress, createInflateRaw } from 'node:zlib'
import { feed } from '../warc/compression/engine-feed.ts'
import { gzipTrailerLength } from '../warc/compression/gzip-member.ts'
import { decompressFrame, skipGzipHeader } from '../warc/compression/member-stream.ts'
import { WarcDamage } from '../warc/damage.ts'
import { ByteSource } from '../warc/reading/byte-source.ts'
import { isCodedAs } from './codings.ts'

/** `cut`: there is more than bytesMax. `damaged`: the rest could not be decoded. */
export type StreamEnd = 'whole' | 'cut' | 'damaged'

interface StreamLimits {
  /** No coding gives out more than this, so that a bomb inside another ends as well. */
  readonly bytesMax?: number
  /** How much a decoder is given at a time: what it made of the last piece before a damage is lost. */
  readonly pieceBytes?: number
}

interface Ending {
  end: StreamEnd
}

const pieceBytesDefault = 64 * 1024

/** `codings`: known ones, in the order they were applied. */
export async function* decodedStream(
  chunks: AsyncIterable<Uint8Array>,
  codings: readonly string[],
  { bytesMax = Number.POSITIVE_INFINITY, pieceBytes = pieceBytesDefault }: StreamLimits = {},
): AsyncGenerator<Uint8Array, StreamEnd> {
  const ending: Ending = { end: 'whole' }
  let flow = chunks
  for (const coding of codings.toReversed()) {
    flow = upTo(bytesMax, decoded(flow, coding, pieceBytes, ending), ending)
  }
  yield* codings.length === 0 ? upTo(bytesMax, chunks, ending) : flow
  return ending.end
}

async function* upTo(bytesMax: number, chunks: AsyncIterable<Uint8Array>, ending: Ending) {
  let room = bytesMax
  for await (const chunk of chunks) {
    if (chunk.length > room) {
      if (room > 0) yield chunk.subarray(0, room)
      endBy('cut', ending)
      return
    }
    room -= chunk.length
    yield chunk
  }
}

async function* decoded(
  chunks: AsyncIterable<Uint8Array>,
  coding: string,
  pieceBytes: number,
  ending: Ending,
): AsyncGenerator<Uint8Array> {
  const source = new ByteSource(chunks)
  try {
    await source.fill(4)
    if (source.window.length === 0) return
    if (isCodedAs([coding], source.window)) yield* decoders[coding]!(source, pieceBytes)
    else yield* rest(source)
  } catch (error) {
    if (source.failed || !isDamage(error)) throw error
    endBy('damaged', ending)
  } finally {
    await source.close()
  }
}

/** The first word counts: what follows a cut or a damage decodes the part that there is. */
function endBy(end: StreamEnd, ending: Ending): void {
  if (ending.end === 'whole') ending.end = end
}

type Decoder = (source: ByteSource, pieceBytes: number) => AsyncGenerator<Uint8Array>

const decoders: Readonly<Record<string, Decoder>> = {
  async *gzip(source, pieceBytes) {
    // Behind the last member stands nothing, zeros, or what a server wrote too much.
    while ((await source.fill(3)) && isCodedAs(['gzip'], source.window)) {
      await skipGzipHeader(source)
      yield* run(createInflateRaw({ chunkSize: pieceBytesDefault }), source, pieceBytes)
      await source.skip(gzipTrailerLength)
    }
  },
  async *deflate(source, pieceBytes) {
    // By the book with zlib's header; some servers leave that out.
    if (hasZlibHeader(source.window)) source.consume(2)
    yield* run(createInflateRaw({ chunkSize: pieceBytesDefault }), source, pieceBytes)
  },
  async *br(source, pieceBytes) {
    yield* run(createBrotliDecompress({ chunkSize: pieceBytesDefault }), source, pieceBytes)
  },
  async *zstd(source) {
    while ((await source.fill(4)) && isCodedAs(['zstd'], source.window)) yield* decompressFrame(source)
  },
}

export function hasZlibHeader(bytes: Uint8Array): boolean {
  return (bytes[0]! & 0x0f) === 0x08 && ((bytes[0]! << 8) | (bytes[1] ?? 0)) % 31 === 0
}

/** The source is left behind what the engine has taken. */
async function* run(
  engine: Transform & { readonly bytesWritten: number },
  source: ByteSource,
  pieceBytes: number,
): AsyncGenerator<Uint8Array> {
  yield* feed(engine, pieces())

  async function* pieces(): AsyncGenerator<Uint8Array> {
    let taken = 0
    while (await source.fill(1)) {
      const piece = source.window.subarray(0, pieceBytes)
      yield piece
      const used = engine.bytesWritten - taken
      source.consume(used)
      taken += used
      if (used < piece.length) return
    }
  }
}

async function* rest(source: ByteSource): AsyncGenerator<Uint8Array> {
  while (await source.fill(1)) {
    const { window } = source
    source.consume(window.length)
    yield window
  }
}

function isDamage(error: unknown): boolean {
  if (error instanceof WarcDamage) return true
  const { code } = error as NodeJS.ErrnoException
  return code !== undefined && /^(?:Z_|ERR_BROTLI|ERR__ERROR|BROTLI|ERR_ZLIB|ZSTD_)/.test(code)
}
