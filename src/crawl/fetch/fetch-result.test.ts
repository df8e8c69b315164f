import assert from 'node:assert/strict'
import { test } from 'vitest'
import { fetchResultOf } from './fetch-result.ts'
import type { FetchFailure } from './outcome.ts'

test('a process that is held up while it looks at the clocks takes a request to have ended later, never sooner', () => {
  let monotonicMs = 1_000
  // Every look takes five milliseconds.
  const clock = { monotonicMs: () => (monotonicMs += 5) }
  const offsetMs = 50_000
  const frontier = { nowMs: () => offsetMs + clock.monotonicMs() }
  const failure: FetchFailure = {
    kind: 'failed',
    code: 'reset',
    reason: 'reset',
    retry: 'later',
    address: '192.0.2.1',
    endedAtMs: 900,
  }
  const { endedAtMs } = fetchResultOf(failure, { frontier, clock })
  assert.equal(endedAtMs, offsetMs + 900 + 5)
})
