import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Batcher, Batchers, type BatchLimits } from './batcher.ts'
import { simulatedWorld } from './simulated/world.ts'

/** A batcher, and what it did: when each batch began, and with which items. */
function setting(limits: BatchLimits<number>, answerMs = 0) {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  const startMs = clock.monotonicMs()
  const batches: [atMs: number, items: number[]][] = []
  const batcher = new Batcher<number, string>({ clock }, limits, async (items) => {
    batches.push([clock.monotonicMs() - startMs, items])
    if (answerMs > 0) await new Promise<void>((resolve) => clock.after(answerMs, resolve))
    if (items.includes(13)) throw new Error('refused')
    return items.map((item) => `answer ${item}`)
  })
  const add = (...items: number[]) => Promise.allSettled(items.map((item) => batcher.add(item)))
  return { world, batches, add }
}

test('each caller gets its own answer, or the failure of its batch', async () => {
  const { world, batches, add } = setting({ itemsMax: 2 })
  const ended = add(1, 2, 3, 13, 5)
  await world.advance(0)
  assert.deepEqual(batches, [
    [0, [1, 2]],
    [0, [3, 13]],
    [0, [5]],
  ])
  const outcomes = (await ended).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))
  assert.deepEqual(outcomes, ['answer 1', 'answer 2', 'failed', 'failed', 'answer 5'])
})

test('the first waits for others, unless there are enough', async () => {
  const { world, batches, add } = setting({ itemsMax: 3, waitMs: 10 })
  void add(1)
  await world.advance(9)
  void add(2)
  await world.advance(10)
  void add(3, 4, 5, 6)
  await world.advance(9)
  assert.deepEqual(batches.at(-1), [19, [3, 4, 5]])
  await world.advance(1)
  assert.deepEqual(batches, [
    [10, [1, 2]],
    [19, [3, 4, 5]],
    [29, [6]],
  ])
})

test('the first goes at once, those who come soon after it go together, enough go at once', async () => {
  const { world, batches, add } = setting({ itemsMax: 100, everyMs: 100, enough: 3 })
  void add(1)
  await world.advance(10)
  void add(2)
  await world.advance(20)
  void add(3)
  await world.advance(500)
  void add(4, 5)
  await world.advance(50)
  void add(6, 7, 8, 9)
  await world.advance(500)
  assert.deepEqual(batches, [
    [0, [1]],
    [100, [2, 3]],
    [530, [4, 5]],
    [580, [6, 7, 8]],
    [680, [9]],
  ])
})

test('so many batches are under way, and each has so many bytes', async () => {
  const { world, batches, add } = setting(
    { itemsMax: 9, bytesMax: 10, bytesOf: (item) => item, batchesMax: 2 },
    50,
  )
  void add(20, 4, 6, 1, 9)
  await world.advance(49)
  assert.deepEqual(batches, [
    [0, [20]],
    [0, [4, 6]],
  ])
  await world.advance(100)
  assert.deepEqual(batches.slice(2), [[50, [1, 9]]])
})

test('those who are too many are refused', async () => {
  const { world, batches, add } = setting({ itemsMax: 2, batchesMax: 1, waitingMax: 3 }, 50)
  const ended = add(1, 2, 3, 4, 5, 6)
  await world.advance(200)
  assert.deepEqual(
    batches.map(([, items]) => items),
    [[1, 2], [3, 4], [5]],
  )
  assert.equal((await ended).at(-1)!.status, 'rejected')
})

test('of many, each has batches of its own', async () => {
  const world = simulatedWorld({ seed: 1 })
  const batches: [string, number[]][] = []
  const batchers = new Batchers<string, number, void>(
    world.machine('a'),
    { itemsMax: 9, waitMs: 2 },
    async (key, items) => {
      batches.push([key, items])
      return []
    },
  )
  for (const item of [1, 2, 3]) for (const key of ['a', 'b']) void batchers.add(key, item)
  await world.advance(2)
  assert.deepEqual(batches, [
    ['a', [1, 2, 3]],
    ['b', [1, 2, 3]],
  ])
})
