// Ranges of keys: from `from` (included) to `to` (excluded), bytewise. No bytes at all are before every key; an undefined `to` is
// behind every key.

import { MessageMalformed } from '../../../formats/wire/message-bytes.ts'
import { type RingKey, ringKeyToBytes } from '../../../model/ring-key.ts'

export interface KeyRange {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
}

export const lowestBound = new Uint8Array()
export const allKeys: KeyRange = { from: lowestBound, to: undefined }

/** The keys of an arc of the ring, `from` excluded and `to` included: two ranges where it wraps round zero. From a place round
 * to itself is the whole ring. */
export function rangesOfArc(from: RingKey, to: RingKey): KeyRange[] {
  if (from === to) return [allKeys]
  const [start, end] = [boundBehind(from), boundBehind(to)]
  if (from < to) return [{ from: start!, to: end }]
  const beginning = { from: lowestBound, to: end }
  return start === undefined ? [beginning] : [beginning, { from: start, to: undefined }]
}

/** Is the bound before the other, which may be the end of everything? */
export function isBefore(bound: Uint8Array, other: Uint8Array | undefined): boolean {
  return other === undefined || compareKeys(bound, other) < 0
}

/** In the order of their bytes. Keys mostly differ early: calling the engine's comparison takes longer than this loop. */
export function compareKeys(one: Uint8Array, other: Uint8Array): number {
  const limit = Math.min(one.length, other.length)
  for (let at = 0; at < limit; at++) {
    const difference = one[at]! - other[at]!
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

export function isEmptyRange({ from, to }: KeyRange): boolean {
  return !isBefore(from, to)
}

/** A range that another peer asks about: one without keys is refused, for a table takes no empty bound. */
export function checkedRange(from: Uint8Array | undefined, to: Uint8Array | undefined): KeyRange {
  if (from === undefined || isEmptyRange({ from, to })) throw new MessageMalformed('a range without keys')
  return { from, to }
}

export function areSameBounds(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return compareKeys(one, other) === 0
}

/** The first key that comes after this one. */
export function nextKey(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}

export function sharedLength(one: Uint8Array, other: Uint8Array): number {
  const limit = Math.min(one.length, other.length)
  let length = 0
  while (length < limit && one[length] === other[length]) length++
  return length
}

/** The shortest bound that parts the two, of which `lower` comes first: it is not before `lower`'s next, nor after `upper`. */
export function separator(lower: Uint8Array, upper: Uint8Array): Uint8Array {
  return upper.slice(0, sharedLength(lower, upper) + 1)
}

/** The first place behind this one; undefined where zero comes next. */
export function boundBehind(place: RingKey): Uint8Array | undefined {
  const bytes = ringKeyToBytes(place).slice()
  for (let index = bytes.length - 1; index >= 0; index--) {
    bytes[index]!++
    if (bytes[index] !== 0) return bytes
  }
  return undefined
}
