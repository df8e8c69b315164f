import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Gathered } from './gathered.ts'

test('what comes while something is written is written together, in order, and each hears of its own', async () => {
  const groups: number[][] = []
  const ends: (() => void)[] = []
  const gathered = new Gathered<number>((items) => {
    groups.push([...items])
    if (items.includes(4)) return Promise.reject(new Error('full'))
    return new Promise((resolve) => ends.push(resolve))
  }, 4)
  const first = gathered.add([1])
  await new Promise((resolve) => setImmediate(resolve))
  const rest = [gathered.add([2]), gathered.add([3, 4]), gathered.add([5, 6]), gathered.add([7])]
  const results = Promise.allSettled(rest)
  assert.deepEqual(groups, [[1]])
  ends.shift()!()
  await first
  await new Promise((resolve) => setImmediate(resolve))
  ends.shift()!()
  const states = (await results).map(({ status }) => status)
  assert.deepEqual(groups, [[1], [2, 3, 4], [5, 6, 7]])
  assert.deepEqual(states, ['rejected', 'rejected', 'fulfilled', 'fulfilled'])
})
