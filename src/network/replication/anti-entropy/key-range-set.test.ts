import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import type { KeyRange } from '../sums/key-range.ts'
import { KeyRangeSet } from './key-range-set.ts'

/** Keys of one byte; 256 stands for the end of everything. */
const rangeOf = (from: number, to: number): KeyRange => ({
  from: from === 0 ? new Uint8Array() : Uint8Array.of(from),
  to: to === 256 ? undefined : Uint8Array.of(to),
})
const bounds = fc
  .tuple(fc.nat(256), fc.nat(256))
  .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const)
const step = fc.record({
  what: fc.constantFrom('add' as const, 'remove' as const, 'removeAll' as const, 'keepOnly' as const),
  bounds,
})

describe('a set of key ranges', () => {
  test('is the set of the keys that it was given', () => {
    fc.assert(
      fc.property(fc.array(step), bounds, (steps, [from, to]) => {
        const set = new KeyRangeSet()
        const keys = new Set<number>()
        for (const {
          what,
          bounds: [start, end],
        } of steps) {
          if (what === 'keepOnly' || what === 'removeAll') set[what]([rangeOf(start, end)])
          else set[what](rangeOf(start, end))
          for (let key = 0; key < 256; key++) {
            const isInside = key >= start && key < end
            if (what === 'add' && isInside) keys.add(key)
            const isRemoved = isInside ? what.startsWith('remove') : what === 'keepOnly'
            if (isRemoved) keys.delete(key)
          }
        }
        // No key is empty: the lowest is that of one zero.
        for (let key = 0; key < 256; key++) assert.equal(set.has(Uint8Array.of(key)), keys.has(key), `${key}`)
        let isCovered = true
        for (let key = from; key < to; key++) isCovered &&= keys.has(key)
        assert.equal(set.covers(rangeOf(from, to)), isCovered)
        for (const [index, range] of set.ranges.entries()) {
          const next = set.ranges[index + 1]
          if (next) assert(range.to !== undefined && Buffer.compare(range.to, next.from) < 0)
        }
      }),
      { numRuns: 500, seed: 1 },
    )
  })
})
