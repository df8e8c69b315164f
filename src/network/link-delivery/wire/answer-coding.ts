// The answer to a batch: what became of it, and what the sender should know of the ring.

import { MessageMalformed } from '../../../formats/wire/message-bytes.ts'
import { number, printable, ringKey } from '../../../formats/wire/message-fields.ts'
import {
  type In,
  joined,
  list,
  mark,
  marked,
  record,
  type Schema,
  versioned,
} from '../../../formats/wire/message-schema.ts'
import { otherVersion } from '../exchange-error.ts'
import type { OwnArc, Owner } from '../owners.ts'

const version = 1
const followingMax = 8
const addressesMax = 8

/** No more than so many are told. */
function firstOf<T>(schema: Schema<T>, countMax: number): Schema<readonly T[]> {
  return list(schema, countMax).as(
    (items) => items,
    (items) => items.slice(0, countMax),
  )
}

const owner: Schema<Owner> = record({
  peer: printable(200),
  upTo: ringKey,
  addresses: firstOf(printable(300), addressesMax),
})
const arc: Schema<OwnArc> = record({ after: ringKey, upTo: ringKey, following: firstOf(owner, followingMax) })

/** Links, by their places in the batch, that are not the receiver's, or that it cannot take for now. */
const refusal = joined(
  record({ from: number(), count: number() }),
  marked({
    /** Who owns them, as far as the receiver knows. */
    owner,
    /** They are the receiver's; it takes them later. */
    isForNow: mark,
  }),
)
export type Refusal = In<typeof refusal>

export const batchAnswer = versioned(
  version,
  joined(
    marked({
      /** The same batch was taken before. */
      isKnown: mark,
      arc,
    }),
    record({
      /** All others were taken, for good. */
      refused: list(refusal),
    }),
  ),
  () => otherVersion('The answer to a batch of links'),
)
export type BatchAnswer = In<typeof batchAnswer>

/** The places of all links that were refused, of so many in the batch. */
export function placesOf(refused: readonly Refusal[], linkCount: number): Set<number> {
  const places = new Set<number>()
  for (const { from, count } of refused) {
    // No link can be refused twice: so a hostile answer costs no more than a long one.
    if (from + count > linkCount || places.size + count > linkCount)
      throw new MessageMalformed('it refuses what was not sent')
    for (let place = from; place < from + count; place++) places.add(place)
  }
  return places
}
