// What every clock must do. Times are compared, never expected: a real machine may be slow.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Clock } from './clock.ts'

export function clockContract(withClock: (body: (clock: Clock) => Promise<void>) => Promise<void>): void {
  test('the wall clock counts milliseconds since 1970', () =>
    withClock(async (clock) => {
      assert(clock.nowMs() > Date.UTC(2020, 0, 1))
      assert(clock.nowMs() < Date.UTC(2100, 0, 1))
    }))

  test('the monotonic clock does not go back', () =>
    withClock(async (clock) => {
      let last = clock.monotonicMs()
      for (let round = 0; round < 20; round++) {
        await clock.sleep(round % 3)
        assert(clock.monotonicMs() >= last)
        last = clock.monotonicMs()
      }
    }))

  test('a task runs once, after its delay, not during the call', () =>
    withClock(async (clock) => {
      for (const delayMs of [0, 0.3, 1, 7]) {
        const start = clock.monotonicMs()
        let runs = 0
        const done = new Promise<void>((resolve) => {
          clock.after(delayMs, () => {
            runs++
            resolve()
          })
        })
        assert.equal(runs, 0)
        await done
        assert(clock.monotonicMs() - start >= delayMs)
        await clock.sleep(5)
        assert.equal(runs, 1)
      }
    }))

  test('no task of many is early', () =>
    withClock(async (clock) => {
      const delays = Array.from({ length: 300 }, (_, index) => index / 7)
      await Promise.all(
        delays.map(async (delayMs) => {
          const start = clock.monotonicMs()
          await clock.sleep(delayMs)
          assert(clock.monotonicMs() - start >= delayMs, `${delayMs}`)
        }),
      )
    }))

  test('tasks run in the order of their times', () =>
    withClock(async (clock) => {
      const order: number[] = []
      for (const delayMs of [60, 20, 40]) clock.after(delayMs, () => order.push(delayMs))
      await clock.sleep(120)
      assert.deepEqual(order, [20, 40, 60])
    }))

  test('a cancelled task does not run; cancelling again or too late does nothing', () =>
    withClock(async (clock) => {
      const ran: string[] = []
      const cancelled = clock.after(2, () => ran.push('cancelled'))
      const kept = clock.after(2, () => ran.push('kept'))
      cancelled.cancel()
      cancelled.cancel()
      await clock.sleep(20)
      kept.cancel()
      assert.deepEqual(ran, ['kept'])
    }))

  test('a delay of more than 25 days does not run at once', () =>
    withClock(async (clock) => {
      let ran = false
      const timer = clock.after(2 ** 31 + 5, () => {
        ran = true
      })
      await clock.sleep(20)
      timer.cancel()
      assert.equal(ran, false)
    }))

  test('a negative delay is a mistake', () =>
    withClock(async (clock) => {
      assert.throws(() => clock.after(-1, () => {}), assert.AssertionError)
    }))

  test('sleep lasts as long as asked', () =>
    withClock(async (clock) => {
      const start = clock.monotonicMs()
      await clock.sleep(15)
      assert(clock.monotonicMs() - start >= 15)
    }))

  test('sleep rejects with the reason when its signal is aborted', () =>
    withClock(async (clock) => {
      const controller = new AbortController()
      const reason = new Error('enough')
      clock.after(5, () => controller.abort(reason))
      await assert.rejects(clock.sleep(1e9, controller.signal), (error) => error === reason)
      await assert.rejects(clock.sleep(1, controller.signal), (error) => error === reason)
    }))

  test('an abort after the sleep does nothing', () =>
    withClock(async (clock) => {
      const controller = new AbortController()
      await clock.sleep(1, controller.signal)
      controller.abort()
    }))
}
