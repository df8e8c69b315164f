import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../errors.ts'
import { type PeriodicOptions, PeriodicTask } from './periodic-task.ts'
import type { Random } from './random.ts'
import { simulatedWorld } from './simulated/world.ts'

/** Runs of a task of 30 ms with a period of 100 ms, in milliseconds from the beginning. */
function setting(makeOptions: (random: Random) => PeriodicOptions = () => ({}), end = () => {}) {
  const world = simulatedWorld({ seed: 1 })
  const { clock, random } = world.machine('a')
  const startMs = clock.monotonicMs()
  const runs: number[] = []
  const run = async () => {
    runs.push(Math.round(clock.monotonicMs() - startMs))
    await clock.sleep(30)
    end()
  }
  return { world, runs, task: new PeriodicTask({ clock }, 100, run, makeOptions(random)) }
}

describe('a periodic task', () => {
  test('runs again a period after it has ended', async () => {
    const { world, runs } = setting()
    await world.advance(400)
    assert.deepEqual(runs, [100, 230, 360])
  })

  test('runs earlier when that is asked for, and never twice at once', async () => {
    const { world, runs, task } = setting(() => ({ firstMs: 0 }))
    await world.advance(10)
    task.runIn(5)
    await world.advance(15)
    assert.deepEqual(runs, [0], 'the run under way goes on')
    await world.advance(20)
    assert.deepEqual(runs, [0, 35])
    await world.advance(70)
    task.runIn(0)
    await world.advance(150)
    assert.deepEqual(runs, [0, 35, 115, 245], 'then by the period again')
  })

  test('runs no later than is asked for, and earlier when it was to', async () => {
    const { world, runs, task } = setting()
    await world.advance(10)
    task.runWithin(50)
    await world.advance(10)
    task.runWithin(50)
    await world.advance(50)
    assert.deepEqual(runs, [60])
    task.runWithin(50)
    task.runWithin(70)
    await world.advance(100)
    assert.deepEqual(runs, [60, 140])
  })

  test('goes on after a failure that is expected', async () => {
    const { world, runs } = setting(undefined, () => {
      throw new PolyhistorError('test', 'the disk is full')
    })
    await world.advance(300)
    assert.deepEqual(runs, [100, 230])
  })

  test('does not stay in step with others', async () => {
    const { world, runs } = setting((random) => ({ jitter: { share: 0.2, random } }))
    await world.advance(10_000)
    const pauses = runs.slice(1).map((ms, index) => ms - runs[index]! - 30)
    assert.ok(pauses.every((ms) => ms >= 79 && ms <= 121))
    assert.ok(new Set(pauses).size > 10)
  })

  test('is closed when the run under way has ended, and runs no more', async () => {
    const { world, runs, task } = setting()
    await world.advance(110)
    let isClosed = false
    void task.close().then(() => {
      isClosed = true
    })
    await world.advance(10)
    assert.ok(!isClosed)
    await world.advance(500)
    assert.ok(isClosed)
    task.runIn(0)
    await world.advance(500)
    assert.deepEqual(runs, [100])
  })
})
