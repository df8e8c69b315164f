import assert from 'node:assert/strict'
import { afterEach, beforeEach, test, vi } from 'vitest'
import { Calm } from './calm.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** When it came to rest, in milliseconds from now; undefined when not within ten seconds. */
async function restOf(calm: Calm, idleMs?: number): Promise<number | undefined> {
  const startMs = performance.now()
  let atMs: number | undefined
  void calm.settled(idleMs).then(() => {
    atMs = performance.now() - startMs
  })
  await vi.advanceTimersByTimeAsync(10_000)
  return atMs
}

test('a page that cannot be asked is at rest when it has asked for nothing for a while', async () => {
  const calm = new Calm(1_000)
  assert.equal(await restOf(calm), 1_000)
  assert.equal(await restOf(calm, 150), 150)
})

test('a page that has nothing left to do is at rest at once, one that has is waited for as long as any', async () => {
  const calm = new Calm(1_000)
  calm.ask({ isQuiet: async () => true })
  assert.equal(await restOf(calm), 100)
  calm.ask({ isQuiet: async () => false })
  assert.equal(await restOf(calm), 1_000)
  calm.ask({ isQuiet: () => new Promise(() => {}) })
  assert.equal(await restOf(calm), 1_000)
})

test('timers count as far ahead as the page would be waited for', async () => {
  const calm = new Calm(1_000)
  const timerAtMs = performance.now() + 700
  const asked: number[] = []
  calm.ask({
    isQuiet: async ({ aheadMs }) => {
      asked.push(aheadMs)
      return performance.now() > timerAtMs || performance.now() + aheadMs < timerAtMs
    },
  })
  assert.equal(await restOf(calm), 800)
  assert.deepEqual(asked, [900, 800, 700, 600, 500, 400, 300, 200])
})

test('no page is at rest while it waits for an answer, and an answer of its own that was overtaken does not count', async () => {
  const calm = new Calm(1_000)
  const answer = Promise.withResolvers<boolean>()
  calm.ask({ isQuiet: () => answer.promise })
  let isAtRest = false
  void calm.settled().then(() => {
    isAtRest = true
  })
  await vi.advanceTimersByTimeAsync(200)
  calm.changed(1)
  answer.resolve(true)
  await vi.advanceTimersByTimeAsync(5_000)
  assert(!isAtRest)
  calm.changed(0)
  await vi.advanceTimersByTimeAsync(100)
  assert(isAtRest)
})
