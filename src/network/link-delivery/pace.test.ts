import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { Pace } from './pace.ts'

test('who was served waits, is served a little early rather than by a walk of its own, and need not wait for what was left', async () => {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  const pace = new Pace(clock, 1_000)
  const startMs = clock.monotonicMs()
  pace.noteSent('x')
  await world.advance(200)
  pace.noteSent('y')
  assert.deepEqual([pace.untilMs('x'), pace.untilMs('y')], [startMs + 1_000, startMs + 1_200])
  assert.equal(pace.untilMs('z'), undefined)
  await world.advance(549)
  assert.deepEqual([pace.untilMs('x'), pace.untilMs('y')], [startMs + 1_000, startMs + 1_200])
  // When x is due, y is due soon.
  await world.advance(251)
  assert.deepEqual([pace.untilMs('x'), pace.untilMs('y')], [undefined, undefined])
  pace.noteSent('x')
  pace.release('x')
  assert.equal(pace.untilMs('x'), undefined)
})
