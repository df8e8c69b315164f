import assert from 'node:assert/strict'
import { test } from 'vitest'
import { DepartureProgress, type HandOverProgress } from './departure-progress.ts'

test('who keeps nothing tells that nothing is left to hand over', () => {
  const told: HandOverProgress[] = []
  new DepartureProgress((progress) => told.push(progress)).begin(0)
  assert.deepEqual(told, [{ entries: 0, done: 0, sentBytes: 0, taken: new Map() }])
})
