// An answer: what somebody holds in the ranges of a question, in their order, or in the first of them where all would take
// too long: at least one.
//
//   version, number of ranges, then of each:
//     0                     the same as the asker
//     1, number, ids        these
//     2, number, parts      more than fit: of each part the count, the fingerprint unless it is empty, and but for the last
//                           where it ends

import { MessageMalformed, type MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { isBefore, type KeyRange } from '../sums/key-range.ts'
import { idBytes } from '../sums/tally.ts'
import { BoundReader, BoundWriter } from './bound-coding.ts'
import { idsMax, partsMax } from './comparison-limits.ts'
import { fingerprintBytes } from './fingerprint.ts'
import { readerOf, version } from './question.ts'

export interface AnsweredPart {
  readonly range: KeyRange
  readonly count: number
  /** undefined when there is nothing. */
  readonly fingerprint: Uint8Array | undefined
}

export type RangeAnswer =
  | { readonly kind: 'same' }
  | { readonly kind: 'ids'; readonly ids: readonly Uint8Array[] }
  /** They make up the range, in order. */
  | { readonly kind: 'parts'; readonly parts: readonly AnsweredPart[] }

const kinds = ['same', 'ids', 'parts'] as const

/** How many ranges follow is not known when the first is written: so they are put together at last. */
export class AnswerWriter {
  readonly #writer = new MessageWriter()
  #count = 0

  get length(): number {
    return this.#writer.length
  }

  write(answer: RangeAnswer): void {
    this.#count++
    this.#writer.byte(kinds.indexOf(answer.kind))
    if (answer.kind === 'ids') {
      this.#writer.number(answer.ids.length)
      for (const id of answer.ids) this.#writer.fixed(id)
    }
    if (answer.kind === 'parts') this.#writeParts(answer.parts)
  }

  finish(): Uint8Array {
    return new MessageWriter().byte(version).number(this.#count).fixed(this.#writer.finish()).finish()
  }

  #writeParts(parts: readonly AnsweredPart[]): void {
    this.#writer.number(parts.length)
    const bounds = new BoundWriter(this.#writer, parts[0]!.range.from)
    for (const [index, { range, count, fingerprint }] of parts.entries()) {
      this.#writer.number(count)
      if (fingerprint !== undefined) this.#writer.fixed(fingerprint)
      if (index + 1 < parts.length) bounds.write(range.to)
    }
  }
}

/** `asked`: the ranges of the question. Gives as many answers as there are. */
export function decodeAnswer(bytes: Uint8Array, asked: readonly KeyRange[]): RangeAnswer[] {
  const reader = readerOf(bytes)
  const count = reader.number(asked.length)
  if (count === 0) throw new MessageMalformed('an answer to nothing')
  return asked.slice(0, count).map((range) => readAnswer(reader, range))
}

function readAnswer(reader: MessageReader, range: KeyRange): RangeAnswer {
  const kind = kinds[reader.number(kinds.length - 1)]!
  if (kind === 'same') return { kind }
  if (kind === 'parts') return { kind, parts: readParts(reader, range) }
  const count = reader.number(idsMax)
  return { kind, ids: Array.from({ length: count }, () => new Uint8Array(reader.fixed(idBytes))) }
}

function readParts(reader: MessageReader, range: KeyRange): AnsweredPart[] {
  const length = reader.number(partsMax)
  // One part would be the range itself, to be asked about again and again.
  if (length < 2) throw new MessageMalformed(`${length} parts of a range`)
  const bounds = new BoundReader(reader, range.from)
  let { from } = range
  return Array.from({ length }, (_, index) => {
    const count = reader.counter()
    const fingerprint = count === 0 ? undefined : reader.fixed(fingerprintBytes)
    const to = index + 1 < length ? bounds.read() : range.to
    const isInside = index + 1 === length || (to !== undefined && isBefore(to, range.to))
    if (!isInside || !isBefore(from, to)) throw new MessageMalformed('parts that are not of their range')
    const part = { range: { from, to }, count, fingerprint }
    if (to !== undefined) from = to
    return part
  })
}
