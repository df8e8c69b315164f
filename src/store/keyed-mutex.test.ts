import assert from 'node:assert/strict'
import { test } from 'vitest'
import { KeyedMutex } from './keyed-mutex.ts'

test('one at a time for each name, in order, whatever the one before came to', async () => {
  const mutex = new KeyedMutex()
  const told: string[] = []
  const work =
    (name: string, fails = false) =>
    async () => {
      told.push(`${name} begins`)
      await new Promise((done) => setImmediate(done))
      told.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
  const outcomes = await Promise.allSettled([
    mutex.run('a', work('a1', true)),
    mutex.run('a', work('a2')),
    mutex.run('b', work('b1')),
    mutex.run('a', work('a3')),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : `${outcome.reason}`)),
    ['Error: a1', 'a2', 'b1', 'a3'],
  )
  const ofA = told.filter((line) => line.startsWith('a'))
  assert.deepEqual(ofA, ['a1 begins', 'a1 ends', 'a2 begins', 'a2 ends', 'a3 begins', 'a3 ends'])
  assert.ok(told.indexOf('b1 begins') < told.indexOf('a1 ends'))
})
