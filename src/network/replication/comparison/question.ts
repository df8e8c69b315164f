// A question: what do you hold in these ranges? With our fingerprint of a range, where it is not known to differ.
//
//   version, salt, number of ranges, then of each: bounds, 1 and the fingerprint, or 0

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { checkedRange, type KeyRange } from '../sums/key-range.ts'
import { BoundReader, BoundWriter } from './bound-coding.ts'
import { messageBytesMax, rangesMax } from './comparison-limits.ts'
import { fingerprintBytes, saltBytes } from './fingerprint.ts'

export const version = 1

export interface AskedRange {
  readonly range: KeyRange
  readonly fingerprint?: Uint8Array | undefined
}

interface Question {
  readonly salt: Uint8Array
  /** 1 to rangesMax. */
  readonly ranges: readonly AskedRange[]
}

export function encodeQuestion({ salt, ranges }: Question): Uint8Array {
  const writer = new MessageWriter().byte(version).fixed(salt).number(ranges.length)
  const bounds = new BoundWriter(writer)
  for (const { range, fingerprint } of ranges) {
    bounds.write(range.from)
    bounds.write(range.to)
    writer.byte(fingerprint === undefined ? 0 : 1)
    if (fingerprint !== undefined) writer.fixed(fingerprint)
  }
  return writer.finish()
}

export function decodeQuestion(bytes: Uint8Array): Question {
  const reader = readerOf(bytes)
  const salt = reader.fixed(saltBytes)
  const count = reader.number(rangesMax)
  if (count === 0) throw new MessageMalformed('a question about nothing')
  const bounds = new BoundReader(reader)
  return { salt, ranges: Array.from({ length: count }, () => readRange(reader, bounds)) }
}

function readRange(reader: MessageReader, bounds: BoundReader): AskedRange {
  const range = checkedRange(bounds.read(), bounds.read())
  const hasFingerprint = reader.number(1) === 1
  return { range, fingerprint: hasFingerprint ? reader.fixed(fingerprintBytes) : undefined }
}

/** Behind the version, which is ours. */
export function readerOf(bytes: Uint8Array): MessageReader {
  if (bytes.length > messageBytesMax) throw new MessageMalformed(`${bytes.length} bytes`)
  const reader = new MessageReader(bytes)
  const theirs = reader.byte()
  if (theirs !== version) throw new MessageMalformed(`version ${theirs} of the comparison`)
  return reader
}
