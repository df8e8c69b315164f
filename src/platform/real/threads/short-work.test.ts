import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ShortWork } from './short-work.ts'

function busyFor(durationMs: number): void {
  const untilMs = performance.now() + durationMs
  while (performance.now() < untilMs);
}

test('is done at once while there is time', () => {
  const work = new ShortWork(1_000)
  let isDone = false
  void work.run(() => {
    isDone = true
  })
  assert(isDone)
})

test('more than fits into a turn waits for the next ones, in order', async () => {
  const work = new ShortWork(5)
  const done: number[] = []
  const all = Array.from({ length: 6 }, (_, number) =>
    work.run(() => {
      busyFor(3)
      done.push(number)
    }),
  )
  assert(done.length > 0 && done.length < 6)
  const atOnce = done.length
  await new Promise((resolve) => setImmediate(resolve))
  assert(done.length > atOnce && done.length < 6)
  await Promise.all(all)
  assert.deepEqual(done, [0, 1, 2, 3, 4, 5])
})

test('what fails is told, and the rest goes on', async () => {
  const work = new ShortWork(0.001)
  const failing = work.run(() => {
    throw new Error('no')
  })
  const next = work.run(() => 'yes')
  await assert.rejects(failing, /no/)
  assert.equal(await next, 'yes')
})
