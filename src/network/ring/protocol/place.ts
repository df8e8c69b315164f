// Places on the circle of 2^160: order, distance, and whose they are.
//
// Keys are compared as their 40 hex digits, as the rest of the program has them: faster than big numbers, and much faster than
// bytes (`npm run bench -- ring places`).

import { hash } from 'node:crypto'
import { type RingKey, ringKeyBytes } from '../../../model/ring-key.ts'

const circle = 1n << BigInt(8 * ringKeyBytes)
// The first 48 bits as a number are exact, and enough to tell how far apart two places are.
const leadingDigits = 12
const leadingCircle = 16 ** leadingDigits

export const positionsMax = 16

/** Where a position lies. `salt` is what its peer cannot choose: its ticket's, or in open networks its address. */
export function placeOf(networkId: string, salt: string, index: number): RingKey {
  const text = `polyhistor-place\n${networkId}\n${salt}\n${index}`
  return hash('sha256', text, 'hex').slice(0, 2 * ringKeyBytes) as RingKey
}

/** Going clockwise from `from`, is `place` met strictly before `to`? From a place round to itself everything else is. */
export function isBetween(from: RingKey, place: RingKey, to: RingKey): boolean {
  if (from < to) return from < place && place < to
  return (place > from || place < to) && place !== from
}

/** Does a position at `owner`, preceded by `predecessor`, own the key? Whoever precedes itself owns everything. */
export function isOwned(predecessor: RingKey, key: RingKey, owner: RingKey): boolean {
  return key === owner || predecessor === owner || isBetween(predecessor, key, owner)
}

/** How far clockwise, as a part of the circle in [0, 1). */
export function arcBetween(from: RingKey, to: RingKey): number {
  const leading = leadingOf(to) - leadingOf(from)
  if (leading !== 0) return (leading < 0 ? leading + leadingCircle : leading) / leadingCircle
  if (from === to) return 0
  // Closer than one part in 2^48: next to nothing, or all the way round.
  return from < to ? 2 ** -49 : 1 - 2 ** -49
}

function leadingOf(place: RingKey): number {
  return Number.parseInt(place.slice(0, leadingDigits), 16)
}

/** The place 2^power further on. */
export function placeAfter(place: RingKey, power: number): RingKey {
  const sum = (BigInt(`0x${place}`) + (1n << BigInt(power))) % circle
  return sum.toString(16).padStart(2 * ringKeyBytes, '0') as RingKey
}
