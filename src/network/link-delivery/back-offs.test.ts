import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { BackOffs } from './back-offs.ts'

test('a peer is left alone for longer each time, up to a limit, until it answers', async () => {
  const world = simulatedWorld({ seed: 1 })
  const { clock, random } = world.machine('a')
  const backOffs = new BackOffs<string>({ clock, random }, { firstMs: 1_000, longestMs: 10_000 })
  assert.equal(backOffs.untilMs('x'), undefined)
  const waits: number[] = []
  for (let time = 0; time < 8; time++) {
    const untilMs = backOffs.noteFailure('x')
    waits.push(untilMs - clock.monotonicMs())
    assert.equal(backOffs.untilMs('x'), untilMs)
    assert.equal(backOffs.untilMs('y'), undefined)
    assert.deepEqual([...backOffs.leftAlone()], ['x'])
    await world.advance(waits.at(-1)! + 1)
    assert.equal(backOffs.untilMs('x'), undefined)
    assert.deepEqual([...backOffs.leftAlone()], [])
  }
  for (const [time, wait] of waits.entries()) {
    const whole = Math.min(10_000, 1_000 * 2 ** time)
    assert.ok(wait >= whole / 2 && wait <= whole, `${wait} ms after failure ${time + 1}`)
  }
  backOffs.noteSuccess('x')
  assert.equal(backOffs.size, 0)
  assert.ok(backOffs.noteFailure('x') - clock.monotonicMs() <= 1_000)
})
