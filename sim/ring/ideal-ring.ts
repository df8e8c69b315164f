// What every position's pointers come to when nothing has happened for a while.

import type { RingKey } from '../../src/model/ring-key.ts'
import type { Position } from '../../src/network/ring/position.ts'
import { arcBetween } from '../../src/network/ring/protocol/place.ts'

/** The first position, if any, whose predecessor or list is not exactly what it should be. */
export function firstNotIdeal(members: Map<RingKey, Position>, successorsMax: number): Position | undefined {
  const places = [...members.keys()].sort()
  const count = places.length
  for (const [index, place] of places.entries()) {
    const position = members.get(place)!
    const { predecessor, successors } = position.machine
    const expected = Math.min(successorsMax, count - 1)
    const isIdeal =
      predecessor.place === places[(index - 1 + count) % count] &&
      successors.entries.length === expected &&
      successors.isWhole === count - 1 <= successorsMax &&
      successors.entries.every((contact, step) => contact.place === places[(index + 1 + step) % count])
    if (!isIdeal) return position
  }
  return undefined
}

/** Who should own the key. */
export function idealOwner(members: Map<RingKey, Position>, key: RingKey): Position {
  let best: Position | undefined
  let bestArc = Number.POSITIVE_INFINITY
  for (const [place, position] of members) {
    const arc = place === key ? 0 : arcBetween(key, place)
    if (arc < bestArc) {
      best = position
      bestArc = arc
    }
  }
  return best!
}
