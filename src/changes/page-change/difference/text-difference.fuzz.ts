// However two texts differ, both can be read out of the difference.

import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { textDifference } from './text-difference.ts'

const line = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'd e f', 'd e g', 'x y z', '漢字かな', '漢字カナ'),
  fc.string({ minLength: 1, unit: 'grapheme' }),
)
const lines = fc.array(line, { maxLength: 30 })
const limits = fc.record({
  lineEdits: fc.constantFrom(2, 2_500),
  wordEdits: fc.constantFrom(1, 400),
  wordEditsInAll: fc.constantFrom(0, 3, 10_000),
  rows: fc.constant(1_000),
  contextLines: fc.constant(1_000),
})

export const properties = [
  {
    name: 'left and right are in it, whole and in order',
    property: fc.property(lines, lines, limits, (left, right, limit) => {
      const { rows } = textDifference(left, right, limit)
      if (isDeepStrictEqual(left, right)) {
        // Nothing changed, so nothing stands near a change.
        assert.deepEqual(rows, left.length === 0 ? [] : [{ kind: 'gap', lines: left.length }])
        return
      }
      const readLeft: string[] = []
      const readRight: string[] = []
      for (const row of rows) {
        if (row.kind === 'same' || row.kind === 'removed') readLeft.push(row.text)
        if (row.kind === 'same' || row.kind === 'added') readRight.push(row.text)
        if (row.kind === 'changed') {
          readLeft.push(row.left.map(({ text }) => text).join(''))
          readRight.push(row.right.map(({ text }) => text).join(''))
        }
        assert.notEqual(row.kind, 'gap')
      }
      assert.deepEqual(readLeft, left)
      assert.deepEqual(readRight, right)
    }),
  },
]
