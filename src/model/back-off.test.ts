import assert from 'node:assert/strict'
import { test } from 'vitest'
import { backOffMs } from './back-off.ts'

test('each failure in a row doubles the wait, up to the longest', () => {
  const backOff = { firstMs: 500, longestMs: 8_000 }
  const waits = [0, 1, 2, 3, 5, 6, 2_000].map((failures) => backOffMs(backOff, failures))
  assert.deepEqual(waits, [0, 500, 1_000, 2_000, 8_000, 8_000, 8_000])
})
