import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { RingKey } from '../../../model/ring-key.ts'
import { arcBetween, isBetween, isOwned, placeAfter } from './place.ts'

const circle = 1n << 160n
/** Few values, so that equal and neighbouring ones come up. */
const place = fc.oneof(
  fc.bigInt({ min: 0n, max: circle - 1n }),
  fc.constantFrom(0n, 1n, 2n, circle - 1n, circle - 2n, circle / 2n),
)
const asKey = (value: bigint): RingKey => value.toString(16).padStart(40, '0') as RingKey
const distance = (from: bigint, to: bigint): bigint => (to - from + circle) % circle

export const properties = [
  {
    name: 'between is what distances say',
    property: fc.property(place, place, place, (from, middle, to) => {
      const whole = from === to ? circle : distance(from, to)
      const expected = distance(from, middle) > 0n && distance(from, middle) < whole
      assert.equal(isBetween(asKey(from), asKey(middle), asKey(to)), expected)
    }),
  },
  {
    name: 'every key has one owner among any positions',
    property: fc.property(fc.uniqueArray(place, { minLength: 1, maxLength: 8 }), place, (places, key) => {
      const sorted = places.map(asKey).sort()
      const owners = sorted.filter((owner, index) => isOwned(sorted.at(index - 1)!, asKey(key), owner))
      assert.equal(owners.length, 1)
      assert.equal(owners[0], sorted.find((owner) => owner >= asKey(key)) ?? sorted[0])
    }),
  },
  {
    name: 'arcs and powers are what big numbers say',
    property: fc.property(place, place, fc.integer({ min: 0, max: 159 }), (from, to, power) => {
      const exact = Number(distance(from, to) >> 100n) / 2 ** 60
      assert.ok(Math.abs(arcBetween(asKey(from), asKey(to)) - exact) < 2 ** -46)
      assert.equal(placeAfter(asKey(from), power), asKey((from + (1n << BigInt(power))) % circle))
    }),
  },
]
