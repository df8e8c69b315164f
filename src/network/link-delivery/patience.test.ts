import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { Patience } from './patience.ts'

test('a peer is left alone for longer each time, up to a limit, until it answers', async () => {
  const world = simulatedWorld({ seed: 1 })
  const { clock, random } = world.machine('a')
  const patience = new Patience<string>({ clock, random }, { firstMs: 1_000, longestMs: 10_000 })
  assert.equal(patience.untilMs('x'), undefined)
  const waits: number[] = []
  for (let time = 0; time < 8; time++) {
    const untilMs = patience.failed('x')
    waits.push(untilMs - clock.monotonicMs())
    assert.equal(patience.untilMs('x'), untilMs)
    assert.equal(patience.untilMs('y'), undefined)
    assert.deepEqual([...patience.leftAlone()], ['x'])
    await world.advance(waits.at(-1)! + 1)
    assert.equal(patience.untilMs('x'), undefined)
    assert.deepEqual([...patience.leftAlone()], [])
  }
  for (const [time, wait] of waits.entries()) {
    const whole = Math.min(10_000, 1_000 * 2 ** time)
    assert.ok(wait >= whole / 2 && wait <= whole, `${wait} ms after failure ${time + 1}`)
  }
  patience.answered('x')
  assert.equal(patience.size, 0)
  assert.ok(patience.failed('x') - clock.monotonicMs() <= 1_000)
})
