// What peers answer about the copies that they keep, as bytes.

import { MessageMalformed, MessageReader } from '../../../../formats/wire/message-bytes.ts'
import { byte, fixed } from '../../../../formats/wire/message-fields.ts'
import { type Out, record, Schema, Times } from '../../../../formats/wire/message-schema.ts'
import { BoundReader, BoundWriter } from '../../comparison/bound-coding.ts'
import { lifeBytes, proofBytes, sentCaptures, wantsMax } from './questions.ts'

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

export const givenOutcomes = new Times(
  byte.as<Outcome>(
    (place) => outcomes[place] ?? 'failed',
    (outcome) => outcomes.indexOf(outcome),
  ),
)

/** Where to go on: with this want, from this key; undefined when that was all. */
const next = new Schema<{ readonly want: number; readonly from: Uint8Array } | undefined>(
  (reader) => {
    const want = reader.number(wantsMax)
    if (want === 0) return undefined
    const from = new BoundReader(reader).read()
    if (from === undefined) throw new MessageMalformed('it goes on behind the end')
    return { want: want - 1, from }
  },
  (writer, value) => {
    writer.number(value === undefined ? 0 : value.want + 1)
    if (value !== undefined) new BoundWriter(writer).write(value.from)
  },
)

/** Some of what was wanted. */
export const fetchedPage = record({ captures: sentCaptures, next })
export type FetchedPage = Out<typeof fetchedPage>

export const life = fixed(lifeBytes)

export function readProofs(bytes: Uint8Array, count: number): Uint8Array {
  return new MessageReader(bytes).copy(count * proofBytes)
}
