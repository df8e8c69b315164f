// Undoes Content-Encoding, so that a capture can be rewritten, or read by a client that does not know the coding.
//
// Bounded: nothing gives out more than bytesMax. What could be decoded before the data broke off is given, as browsers do:
// the server sent it so. A coding that is only claimed (archives made by tools that decoded the body and kept the header)
// is not undone.

import { promisify } from 'node:util'
import {
  brotliDecompress,
  brotliDecompressSync,
  constants,
  gunzip,
  gunzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  zstdDecompress,
  zstdDecompressSync,
} from 'node:zlib'

/** `too-large`: there is more than bytesMax. `undecodable`: the coding is not known, or the bytes are not of it. */
export type DecodedContent =
  | { readonly kind: 'decoded'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large' | 'undecodable' }

interface Decoder {
  readonly sync: (bytes: Uint8Array, bytesMax: number) => Uint8Array
  readonly async: (bytes: Uint8Array, bytesMax: number) => Promise<Uint8Array>
  /** Whether the bytes start like this coding does. */
  readonly fits: (bytes: Uint8Array) => boolean
}

/** More than two never happen; ten thousand are an attack. */
const codingsMax = 4
/** Larger ones are decoded on zlib's threads: handing them over costs more than decoding a small one. */
const syncBytesMax = 64 * 1024

const zlibEnd = { finishFlush: constants.Z_SYNC_FLUSH }
const brotliEnd = { finishFlush: constants.BROTLI_OPERATION_FLUSH }
const zstdEnd = { finishFlush: constants.ZSTD_e_flush }

const gunzipAsync = promisify(gunzip)
const inflateAsync = promisify(inflate)
const inflateRawAsync = promisify(inflateRaw)
const brotliAsync = promisify(brotliDecompress)
const zstdAsync = promisify(zstdDecompress)

function hasZlibHeader(bytes: Uint8Array): boolean {
  return (bytes[0]! & 0x0f) === 0x08 && ((bytes[0]! << 8) | (bytes[1] ?? 0)) % 31 === 0
}

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: {
    sync: (bytes, maxOutputLength) => gunzipSync(bytes, { ...zlibEnd, maxOutputLength }),
    async: (bytes, maxOutputLength) => gunzipAsync(bytes, { ...zlibEnd, maxOutputLength }),
    fits: (bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b,
  },
  // By the book with zlib's header; some servers leave that out.
  deflate: {
    sync: (bytes, maxOutputLength) =>
      (hasZlibHeader(bytes) ? inflateSync : inflateRawSync)(bytes, { ...zlibEnd, maxOutputLength }),
    async: (bytes, maxOutputLength) =>
      (hasZlibHeader(bytes) ? inflateAsync : inflateRawAsync)(bytes, { ...zlibEnd, maxOutputLength }),
    fits: () => true,
  },
  br: {
    sync: (bytes, maxOutputLength) => brotliDecompressSync(bytes, { ...brotliEnd, maxOutputLength }),
    async: (bytes, maxOutputLength) => brotliAsync(bytes, { ...brotliEnd, maxOutputLength }),
    fits: () => true,
  },
  zstd: {
    sync: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { ...zstdEnd, maxOutputLength }),
    async: (bytes, maxOutputLength) => zstdAsync(bytes, { ...zstdEnd, maxOutputLength }),
    fits: (bytes) => bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd,
  },
}

/** The codings of a Content-Encoding header, in the order they were applied. */
export function codingsOf(contentEncoding: string | undefined): string[] {
  if (contentEncoding === undefined) return []
  return contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/^x-(?=gzip$)/, ''))
    .filter((name) => /^[\w.+-]+$/.test(name) && name !== 'identity')
}

/** Whether the bytes are what their header claims them to be: many claim gzip that was undone long ago. */
export function isCodedAs(codings: readonly string[], start: Uint8Array): boolean {
  const last = codings.at(-1)
  return last === undefined || (decoders[last]?.fits(start) ?? true)
}

export function areKnown(codings: readonly string[]): boolean {
  return codings.length <= codingsMax && codings.every((coding) => Object.hasOwn(decoders, coding))
}

export async function decodeContent(
  encoded: Uint8Array,
  codings: readonly string[],
  bytesMax: number,
): Promise<DecodedContent> {
  if (!areKnown(codings)) return { kind: 'undecodable' }
  let bytes = encoded
  for (const coding of codings.toReversed()) {
    const decoder = decoders[coding]!
    if (bytes.length === 0 || !decoder.fits(bytes)) continue
    try {
      bytes =
        bytes.length <= syncBytesMax ? decoder.sync(bytes, bytesMax) : await decoder.async(bytes, bytesMax)
    } catch (error) {
      return { kind: isTooLarge(error) ? 'too-large' : 'undecodable' }
    }
  }
  return bytes.length > bytesMax ? { kind: 'too-large' } : { kind: 'decoded', bytes }
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
}
