// What peers answer about the copies that they keep, as bytes.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../../formats/wire/message-bytes.ts'
import { BoundReader, BoundWriter } from '../../comparison/bound-coding.ts'
import {
  capturesMax,
  lifeBytes,
  proofBytes,
  readCaptures,
  type SentCapture,
  wantsMax,
  writeCaptures,
} from './questions.ts'

/** What became of a capture that was given. `damaged`: a byte of it is wrong. `full`: there is no room. `refused`: its time or its
 * sender is not plausible. `failed`: for another reason, and may do better later. */
export const outcomes = [
  'kept',
  'known',
  'lacking',
  'taken-down',
  'damaged',
  'full',
  'failed',
  'refused',
] as const
export type Outcome = (typeof outcomes)[number]

/** Some of what was wanted. */
export interface FetchedPage {
  readonly captures: readonly SentCapture[]
  /** Where to go on: with this want, from this key; undefined when that was all. */
  readonly next: { readonly want: number; readonly from: Uint8Array } | undefined
}

export function writeOutcomes(given: readonly Outcome[]): Uint8Array {
  return Uint8Array.from(given, (outcome) => outcomes.indexOf(outcome))
}

/** `count`: of the captures that were given. */
export function readOutcomes(bytes: Uint8Array, count: number): Outcome[] {
  if (bytes.length < count) throw new MessageMalformed('not every capture has an outcome')
  return Array.from(bytes.subarray(0, count), (byte) => outcomes[byte] ?? 'failed')
}

export function writePage({ captures, next }: FetchedPage): Uint8Array {
  const writer = new MessageWriter()
  writeCaptures(writer, captures)
  writer.number(next === undefined ? 0 : next.want + 1)
  if (next !== undefined) new BoundWriter(writer).write(next.from)
  return writer.finish()
}

export function readPage(bytes: Uint8Array): FetchedPage {
  const reader = new MessageReader(bytes)
  const captures = readCaptures(reader)
  const want = reader.number(wantsMax)
  if (want === 0) return { captures, next: undefined }
  const from = new BoundReader(reader).read()
  if (from === undefined) throw new MessageMalformed('it goes on behind the end')
  return { captures, next: { want: want - 1, from } }
}

export function readLife(bytes: Uint8Array): Uint8Array {
  return new MessageReader(bytes).copy(lifeBytes)
}

export function readProofs(bytes: Uint8Array, count: number): Uint8Array {
  return new MessageReader(bytes).copy(count * proofBytes)
}

export function writeFlags(flags: readonly boolean[]): Uint8Array {
  return Uint8Array.from(flags, (flag) => (flag ? 1 : 0))
}

export function readFlags(bytes: Uint8Array, count: number): boolean[] {
  if (count > capturesMax || bytes.length < count) throw new MessageMalformed('not everything is answered')
  return Array.from(bytes.subarray(0, count), (byte) => byte === 1)
}
