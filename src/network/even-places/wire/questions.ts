// What peers ask each other before they take or give up a place: how full are you, and what lies on these arcs? Every list is bounded.

import { counter, flag, number, ringKey } from '../../../formats/wire/message-fields.ts'
import { list, type Out, record, union } from '../../../formats/wire/message-schema.ts'
import { positionsMax } from '../../ring/protocol/place.ts'

/** In one question. */
export const arcsMax = 64

const arc = record({ after: ringKey, upTo: ringKey })
export type AskedArc = Out<typeof arc>

export const placesQuestion = union('question about places', {
  /** Answered with `fillAnswer`. */
  fill: { arcs: list(arc, arcsMax) },
})

export const fillAnswer = record({
  /** Bytes that it is to keep, about. */
  kept: counter,
  /** How much it gives, in positions. */
  weight: number(positionsMax).checked((weight) => weight >= 1, 'a peer that gives nothing'),
  /** Its ring is at rest, and nothing lacks copies of which it knows. */
  isSettled: flag,
  /** Bytes that it holds of each arc that it was asked about, about. */
  masses: list(counter, arcsMax),
})
export type FillAnswer = Out<typeof fillAnswer>
