import assert from 'node:assert/strict'
import { test } from 'vitest'
import { fetchResultOf } from './fetch-result.ts'
import type { FetchFailure } from './outcome.ts'

const failure: FetchFailure = {
  kind: 'failed',
  code: 'reset',
  reason: 'reset',
  retry: 'later',
  address: '192.0.2.1',
  endedAtMs: 900,
}

test('a host that answers, though with no HTTP, is told apart from one that does not answer', () => {
  const clocks = { frontier: { nowMs: () => 0 }, clock: { monotonicMs: () => 0 } }
  const hasAnswered = (code: FetchFailure['code']) => {
    return fetchResultOf({ ...failure, code }, clocks).hasAnswered
  }
  assert.deepEqual((['malformed-http', 'head-too-large'] as const).map(hasAnswered), [true, true])
  assert.deepEqual((['reset', 'stalled', 'connect-refused'] as const).map(hasAnswered), [false, false, false])
})

test('a process that is held up while it looks at the clocks takes a request to have ended later, never sooner', () => {
  let monotonicMs = 1_000
  // Every look takes five milliseconds.
  const clock = { monotonicMs: () => (monotonicMs += 5) }
  const offsetMs = 50_000
  const frontier = { nowMs: () => offsetMs + clock.monotonicMs() }
  const { endedAtMs } = fetchResultOf(failure, { frontier, clock })
  assert.equal(endedAtMs, offsetMs + 900 + 5)
})
