// Undoes Content-Encoding, for link extraction: what is stored stays as it came.
//
// Bounded: no coding gives out more than bytesMax, so that a bomb, also one of several codings, ends as a short text
// that says it was cut. What could be decoded before an error or the limit is given. Work is done on zlib's threads, in
// pieces, so that the main thread never waits long.

import type { Transform } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { bufferView } from '../../record/buffer-view.ts'
import { gzipHeaderLength, looksLikeGzip } from '../../record/warc/gzip-member.ts'

/** `cut`: there is more than bytesMax. `damaged`: the rest could not be decoded. `unknown`: nor could any of it, for
 * the coding is not known; the bytes are as they came. */
export type DecodingEnd = 'whole' | 'cut' | 'damaged' | 'unknown'

export interface DecodedContent {
  readonly bytes: Uint8Array
  readonly end: DecodingEnd
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** More than two never happen; ten thousand are an attack. */
const codingsMax = 4
const pieceBytes = 64 * 1024

const options = { chunkSize: pieceBytes }

const decoders: Readonly<Record<string, (firstByte: number) => Transform>> = {
  gzip: () => createGunzip(options),
  // By the book with zlib's header; some servers leave that out. Its first byte has 8 in the lower half.
  deflate: (firstByte) => ((firstByte & 0x0f) === 0x08 ? createInflate(options) : createInflateRaw(options)),
  br: () => createBrotliDecompress(options),
  zstd: () => createZstdDecompress(options),
}

/** The codings of a Content-Encoding header, in the order they were applied. */
export function codingsOf(contentEncoding: string | undefined): string[] {
  const names = (contentEncoding ?? '').toLowerCase().split(',')
  return names
    .map((name) => name.trim().replace(/^x-(?=gzip$)/, ''))
    .filter((name) => name !== '' && name !== 'identity')
}

export async function decodeContent(
  content: Uint8Array | Chunks,
  contentEncoding: string | undefined,
  bytesMax: number,
): Promise<DecodedContent> {
  const codings = codingsOf(contentEncoding)
  const isKnown = codings.length <= codingsMax && codings.every((coding) => Object.hasOwn(decoders, coding))
  let decoded = await collect(content instanceof Uint8Array ? [content] : content, bytesMax)
  if (!isKnown) return { ...decoded, end: 'unknown' }
  for (const coding of codings.toReversed()) {
    const { bytes, end } =
      coding === 'gzip'
        ? await decodeGzip(decoded.bytes, bytesMax)
        : await decodeOnce(decoded.bytes, decoders[coding]!, bytesMax)
    // Cut or damaged once is so for good: what follows decodes the part that there is.
    decoded = { bytes, end: decoded.end === 'whole' ? end : decoded.end }
  }
  return decoded
}

async function collect(chunks: Chunks, bytesMax: number): Promise<DecodedContent> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    const room = bytesMax - length
    parts.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    length += Math.min(chunk.length, room)
    if (chunk.length > room) return { bytes: Buffer.concat(parts), end: 'cut' }
  }
  return { bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts), end: 'whole' }
}

/** zlib takes what stands behind the last member for another one, which it cannot be, and what was decoded together with it is
 * lost. Browsers pass over it, and over a wrong checksum: so the first member is read by itself then. */
async function decodeGzip(encoded: Uint8Array, bytesMax: number): Promise<DecodedContent> {
  const decoded = await decodeOnce(encoded, decoders.gzip!, bytesMax)
  if (decoded.end !== 'damaged' || !looksLikeGzip(encoded)) return decoded
  const start = gzipHeaderLength(bufferView(encoded))
  if (start === undefined) return decoded
  const first = await decodeOnce(encoded.subarray(start), () => createInflateRaw(options), bytesMax)
  return first.end !== 'damaged' && first.bytes.length >= decoded.bytes.length ? first : decoded
}

async function decodeOnce(
  encoded: Uint8Array,
  newDecoder: (firstByte: number) => Transform,
  bytesMax: number,
): Promise<DecodedContent> {
  if (encoded.length === 0) return { bytes: encoded, end: 'whole' }
  const decoder = newDecoder(encoded[0]!)
  return new Promise((resolve) => {
    const parts: Buffer[] = []
    let length = 0
    const finish = (end: DecodingEnd): void => {
      decoder.destroy()
      resolve({ bytes: Buffer.concat(parts), end })
    }
    decoder.on('data', (part: Buffer) => {
      const room = bytesMax - length
      parts.push(part.length > room ? part.subarray(0, room) : part)
      length += Math.min(part.length, room)
      if (part.length > room) finish('cut')
    })
    decoder.on('end', () => finish('whole'))
    decoder.on('error', () => finish('damaged'))
    feed(decoder, encoded)
  })
}

/** In pieces, for zlib decodes each of them whole before it can be stopped. The end comes apart from the last of them:
 * when it comes too early, that is an error, and what was decoded with it is lost. */
function feed(decoder: Transform, encoded: Uint8Array): void {
  let position = 0
  const next = (): void => {
    if (decoder.destroyed) return
    if (position >= encoded.length) decoder.end()
    else decoder.write(encoded.subarray(position, (position += pieceBytes)), next)
  }
  next()
}
