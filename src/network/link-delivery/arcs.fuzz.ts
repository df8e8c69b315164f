import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { RingKey } from '../../model/ring-key.ts'
import { Arcs } from './arcs.ts'

/** A ring of sixteen keys, spread over the real one. */
const keys = Array.from({ length: 16 }, (_, digit) => digit.toString(16).repeat(40) as RingKey)
const digit = fc.integer({ min: 0, max: 15 })
const peer = fc.constantFrom('p', 'q', 'r')
const deed = fc.oneof(
  fc.record({ kind: fc.constantFrom('from', 'after', 'next'), start: digit, peer, end: digit }),
  fc.record({ kind: fc.constant('forget-peer'), start: digit, peer, end: digit }),
)

/** From a digit up to another one, round the ring; after itself: all of it. */
function covered(kind: string, start: number, end: number): number[] {
  const first = kind === 'from' ? start : start + 1
  const length = kind === 'from' && start === end ? 1 : ((end - first + 32) % 16) + 1
  return Array.from({ length }, (_, step) => (first + step) % 16)
}

export const properties = [
  {
    name: 'arcs are as a list of every key would be',
    property: fc.property(fc.array(deed, { maxLength: 20 }), (deeds) => {
      const arcs = new Arcs(100)
      const owners = new Map<number, string>()
      for (const { kind, start, peer: owner, end } of deeds) {
        if (kind === 'forget-peer') {
          arcs.forgetPeer(owner)
          for (const [key, known] of owners) if (known === owner) owners.delete(key)
          continue
        }
        if (kind === 'from') arcs.addFrom(keys[start]!, owner, keys[end]!)
        else if (kind === 'after') arcs.addAfter(keys[start]!, owner, keys[end]!)
        else arcs.addNext(keys[start]!, owner, keys[end]!)
        for (const key of covered(kind, start, end)) owners.set(key, owner)
      }
      for (const [key, text] of keys.entries()) assert.equal(arcs.at(text)?.peer, owners.get(key), text)
    }),
  },
]
