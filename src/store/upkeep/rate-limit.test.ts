import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { simulatedWorld } from '../../platform/simulated/world.ts'
import { RateLimit } from './rate-limit.ts'

describe('a rate limit', () => {
  test('lets so many bytes through in a second, however they are cut', async () => {
    const world = simulatedWorld({ seed: 1 })
    const { clock } = world.machine('a')
    const rate = new RateLimit({ clock }, 1_000_000)
    const work = async () => {
      for (let i = 0; i < 500; i++) await rate.take(i % 2 === 0 ? 100 : 19_900)
    }
    await world.complete(work())
    assert.equal(Math.round(clock.monotonicMs() / 100), 50)
  })

  test('may change meanwhile', async () => {
    const world = simulatedWorld({ seed: 1 })
    const { clock } = world.machine('a')
    let bytesPerSecond = 1_000
    const rate = new RateLimit({ clock }, () => bytesPerSecond)
    await world.complete(rate.take(1_000))
    bytesPerSecond = 500
    await world.complete(rate.take(1_000))
    assert.equal(Math.round(clock.monotonicMs()), 3_000)
  })

  test('saves up a second of idleness at most', async () => {
    const world = simulatedWorld({ seed: 1 })
    const { clock } = world.machine('a')
    const rate = new RateLimit({ clock }, 1_000_000)
    await world.advance(60_000)
    await world.complete(rate.take(1_000_000))
    assert.equal(Math.round(clock.monotonicMs()), 60_000)
    await world.complete(rate.take(1_000_000))
    assert.equal(Math.round(clock.monotonicMs()), 61_000)
  })

  test('ends a wait when it is aborted, and does not wait without a limit', async () => {
    const world = simulatedWorld({ seed: 1 })
    const { clock } = world.machine('a')
    const stop = new AbortController()
    const waiting = new RateLimit({ clock }, 1).take(1_000, stop.signal)
    stop.abort(new Error('enough'))
    await assert.rejects(waiting, /enough/)
    await new RateLimit({ clock }, Number.POSITIVE_INFINITY).take(1e15)
    assert.equal(clock.monotonicMs(), 0)
  })
})
