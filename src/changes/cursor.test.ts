import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseCursor, printCursor } from './cursor.ts'

const nowMs = Date.parse('2026-11-17T12:00:00Z')

test('changes are read from a cursor on, from a time, from so long ago, or from now', () => {
  assert.equal(parseCursor(printCursor(nowMs), 0), nowMs)
  assert.equal(parseCursor('now', nowMs), nowMs)
  assert.equal(parseCursor('2026-11-17T11:00:00Z', nowMs), nowMs - 3_600_001)
  assert.equal(parseCursor('1h', nowMs), nowMs - 3_600_000)
  assert.equal(parseCursor('7d', nowMs), nowMs - 7 * 86_400_000)
  assert.equal(parseCursor('999999d', nowMs), 0)
  for (const wrong of ['', 'h', '1y', '-1h', 'c1-', '1 h', 'yesterday'])
    assert.throws(() => parseCursor(wrong, nowMs), { code: 'cursor-malformed' }, wrong)
})
