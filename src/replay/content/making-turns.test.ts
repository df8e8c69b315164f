import assert from 'node:assert/strict'
import { test } from 'vitest'
import { MakingTurns } from './making-turns.ts'

test('no more than so many at once, in order, whether they fail or not', async () => {
  const turns = new MakingTurns(3)
  const started: number[] = []
  let underWay = 0
  let most = 0
  const works = Array.from({ length: 20 }, (_, number) =>
    turns.run(async () => {
      started.push(number)
      most = Math.max(most, ++underWay)
      await new Promise(setImmediate)
      underWay -= 1
      if (number % 3 === 0) throw new Error('fails')
    }),
  )
  const ended = await Promise.allSettled(works)
  assert.equal(most, 3)
  assert.deepEqual(
    started,
    Array.from({ length: 20 }, (_, number) => number),
  )
  assert.equal(ended.filter(({ status }) => status === 'rejected').length, 7)
  assert.equal(await turns.run(async () => 'free again'), 'free again')
})
