// Undoes Content-Encoding of one content, in memory: for links, rewriting, titles, rules and comparison. What is stored stays
// as it came.
//
// Bounded: nothing gives out more than bytesMax, so that a bomb ends as a short content that says it was cut. What can be
// decoded, and what is passed over, is decoded-stream's to say; small contents that are sound are decoded at once, which
// spares handing them to zlib's threads and costs the main thread less than that.

import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { areKnown, codingsOf, isCodedAs } from './codings.ts'
import { decodedStream, hasZlibHeader, type StreamEnd } from './decoded-stream.ts'

/** `unknown`: the coding is not known; the bytes are as they came. */
type DecodingEnd = StreamEnd | 'unknown'

export interface DecodedContent {
  readonly bytes: Uint8Array
  readonly end: DecodingEnd
}

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

const atOnceBytesMax = 64 * 1024
/** Of a small content, so that little of it is lost where it is damaged. */
const smallPieceBytes = 512

/** `contentEncoding`: the header, or what it says. */
export async function decodeContent(
  content: Uint8Array | Chunks,
  contentEncoding: string | readonly string[] | undefined,
  bytesMax: number,
): Promise<DecodedContent> {
  const codings = typeof contentEncoding === 'object' ? contentEncoding : codingsOf(contentEncoding)
  if (!areKnown(codings)) {
    const { bytes } = await collect(content, [], bytesMax)
    return { bytes, end: 'unknown' }
  }
  const whole = content instanceof Uint8Array ? decodedAtOnce(content, codings, bytesMax) : undefined
  return whole === undefined ? collect(content, codings, bytesMax) : { bytes: whole, end: 'whole' }
}

async function collect(
  content: Uint8Array | Chunks,
  codings: readonly string[],
  bytesMax: number,
): Promise<DecodedContent> {
  const isSmall = content instanceof Uint8Array && content.length <= atOnceBytesMax
  const limits = { bytesMax, ...(isSmall && { pieceBytes: smallPieceBytes }) }
  const stream = decodedStream(chunksOf(content), codings, limits)
  const parts: Uint8Array[] = []
  for (;;) {
    const { value, done } = await stream.next()
    if (done) return { bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts), end: value }
    parts.push(value)
  }
}

async function* chunksOf(content: Uint8Array | Chunks): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) yield content
  else yield* content
}

/** undefined when it is large, or anything about it is not as it should be. */
function decodedAtOnce(
  content: Uint8Array,
  codings: readonly string[],
  bytesMax: number,
): Uint8Array | undefined {
  let bytes = content
  for (const coding of codings.toReversed()) {
    if (bytes.length > atOnceBytesMax) return undefined
    if (bytes.length === 0 || !isCodedAs([coding], bytes)) continue
    try {
      const decoded = decodersAtOnce[coding]!(bytes, { maxOutputLength: bytesMax })
      if (decoded === undefined) return undefined
      bytes = decoded
    } catch {
      return undefined
    }
  }
  return bytes.length > bytesMax ? undefined : bytes
}

type DecoderAtOnce = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array | undefined

const decodersAtOnce: Readonly<Record<string, DecoderAtOnce>> = {
  gzip: gunzipSync,
  deflate: (bytes, options) => (hasZlibHeader(bytes) ? inflateSync : inflateRawSync)(bytes, options),
  br: brotliDecompressSync,
  zstd: (bytes, options) => {
    const { buffer, engine } = zstdDecompressSync(bytes, { ...options, info: true }) as unknown as ZstdInfo
    // It stops behind the first frame.
    return engine.bytesWritten === bytes.length ? buffer : undefined
  },
}

/** As `info` makes it, which the types do not say. */
interface ZstdInfo {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}
