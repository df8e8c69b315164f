import assert from 'node:assert/strict'
import { test } from 'vitest'
import { simulatedWorld } from '../../../platform/simulated/world.ts'
import type { Giving } from './giving.ts'
import { GivingLine } from './giving-line.ts'

/** A line, and the calls that were made: when, and with how many captures. */
function setting() {
  const world = simulatedWorld({ seed: 1 })
  const { clock } = world.machine('a')
  const startMs = clock.monotonicMs()
  const calls: [atMs: number, captures: number][] = []
  const giving = {
    give: async (_: string, keys: readonly Uint8Array[]) => {
      calls.push([clock.monotonicMs() - startMs, keys.length])
      return keys.map(() => 'kept')
    },
  } as unknown as Giving
  const ends: number[] = []
  const line = new GivingLine({ giving, clock }, 'b', new AbortController().signal, () =>
    ends.push(clock.monotonicMs() - startMs),
  )
  let kept = 0
  const give = (count = 1): void => {
    for (let index = 0; index < count; index++) void line.give(new Uint8Array([index])).then(() => kept++)
  }
  return { world, calls, ends, give, kept: () => kept }
}

test('the first goes at once, and what comes soon after it goes together', async () => {
  const { world, calls, give, kept } = setting()
  for (const _ of [1, 2, 3, 4]) {
    give()
    await world.advance(100)
  }
  assert.deepEqual(calls, [[0, 1]])
  await world.advance(1_000)
  assert.deepEqual(calls, [
    [0, 1],
    [500, 3],
  ])
  assert.equal(kept(), 4)
})

test('nothing waits when there is company enough', async () => {
  const { world, calls, give, kept } = setting()
  give()
  await world.advance(100)
  give(31)
  await world.advance(100)
  assert.equal(calls.length, 1)
  give()
  await world.advance(1)
  assert.deepEqual(
    calls.filter(([, captures]) => captures > 0),
    [
      [0, 1],
      [200, 32],
    ],
  )
  assert.equal(kept(), 33)
})

test('it ends when nothing comes any more, and not while something may come', async () => {
  const { world, ends, give } = setting()
  give()
  await world.advance(400)
  give()
  await world.advance(300)
  assert.deepEqual(ends, [])
  await world.advance(1_000)
  assert.deepEqual(ends, [1_000])
})
