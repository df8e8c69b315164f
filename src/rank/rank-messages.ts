// What parts of a run tell each other, as pieces of bytes: the targets that their pages link to, how much they have, and at each
// iteration the values.
//
// Invariant: what decodes stays within the limits, whatever the bytes are.

import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { MessageMalformed, MessageReader } from '../formats/wire/message-bytes.ts'
import { counter, float } from '../formats/wire/message-fields.ts'
import { type Out, record } from '../formats/wire/message-schema.ts'
import { linkCharsMax } from '../model/url/url.ts'
import { zstdOptions } from '../platform/compressor.ts'
import type { PageNames } from './page-names.ts'
import { pagesMax } from './part-links.ts'
import { type Pieces, pieceBytesMax } from './rank-parts.ts'

const options = zstdOptions(3)
/** Before compression: a piece of those is far below the limit, and one that is not compressible within it. */
const charsPerPiece = pieceBytesMax - linkCharsMax - 1_024

export function* encodeTargets(targets: PageNames): Generator<Uint8Array> {
  let lines: string[] = []
  let chars = 0
  for (let number = 0; number < targets.count; number++) {
    const name = targets.nameOf(number)
    lines.push(name)
    chars += name.length + 1
    if (chars < charsPerPiece && number + 1 < targets.count) continue
    yield zstdCompressSync(lines.join('\n'), options)
    lines = []
    chars = 0
  }
}

export function decodeTargets(piece: Uint8Array): string[] {
  try {
    return zstdDecompressSync(piece, { maxOutputLength: pieceBytesMax }).toString('latin1').split('\n')
  } catch (error) {
    throw new MessageMalformed('targets cannot be unpacked', error)
  }
}

export const partCounts = record({
  pages: counter.checked((pages) => pages <= pagesMax, 'a part is too large'),
  /** Seeds of which pages are kept there. */
  seeds: counter.checked((seeds) => seeds <= pagesMax, 'there are too many seeds'),
  /** Pairs of a part and a page of another part that it links to. */
  pairs: counter,
})
export type PartCounts = Out<typeof partCounts>

/** Ranks are shares of 1; a start that was put together from several runs may have a little more. */
const massMax = 4
const mass = float.checked((value) => value >= 0 && value <= massMax, 'a mass is out of bounds')
const valuesHead = record({
  /** The ranks of the part's pages that have links. */
  flowing: mass,
  /** How much the ranks of the part changed in the iteration before. */
  change: mass,
  quantum: float.checked((value) => value >= 0 && value <= 1, 'a quantum is out of bounds'),
})
type ValuesHead = Out<typeof valuesHead>
const headBytes = 24

export function encodeValues(head: ValuesHead, values: Uint8Array): Pieces {
  const pieces = [Buffer.concat([valuesHead.encode(head), values.subarray(0, pieceBytesMax - headBytes)])]
  for (let at = pieceBytesMax - headBytes; at < values.length; at += pieceBytesMax)
    pieces.push(Buffer.from(values.subarray(at, at + pieceBytesMax)))
  return pieces
}

export function decodeValues(pieces: Pieces): ValuesHead & { bytes: Uint8Array } {
  const reader = new MessageReader(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces))
  return { ...valuesHead.read(reader), bytes: reader.rest() }
}
