import assert from 'node:assert/strict'
import { test } from 'vitest'
import { visitsAnswer } from './survey-messages.ts'

test('a moment between two milliseconds is told as the nearest one', () => {
  const row = {
    url: 'http://a.test/',
    visitedAtMs: 0.4,
    intervalMs: 1.5,
    failures: 0,
    state: 'planned',
  } as const
  const told = visitsAnswer.encode({ rows: [{ ...row, dueAtMs: 1_794_943_969_614.25 }], next: undefined })
  assert.equal(visitsAnswer.decode(told).rows[0]!.dueAtMs, 1_794_943_969_614)
})
