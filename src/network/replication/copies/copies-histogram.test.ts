import assert from 'node:assert/strict'
import { test } from 'vitest'
import { CopiesHistogram } from './copies-histogram.ts'

test('entries are counted by their copies', () => {
  const histogram = new CopiesHistogram()
  assert.deepEqual(histogram.entries, [])
  assert.equal(histogram.below(3), 0)
  histogram.add(100, 3)
  histogram.add(7, 1)
  histogram.add(20, 3)
  histogram.add(1, 0)
  assert.deepEqual(histogram.entries, [1, 7, 0, 120])
  assert.equal(histogram.below(3), 8)
  assert.equal(histogram.below(4), 128)
})
