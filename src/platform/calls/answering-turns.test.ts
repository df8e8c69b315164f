import assert from 'node:assert/strict'
import { test } from 'vitest'
import { AnsweringTurns } from './answering-turns.ts'

const busy = ['test-busy', 'busy'] as const

test('who asks without end leaves turns to the others, and gets more when it is answered', async () => {
  const turns = new AnsweringTurns({ ofAll: 3, ofEach: 2 }, ...busy)
  const ends: (() => void)[] = []
  const slow = () => new Promise<void>((resolve) => void ends.push(resolve))
  const greedy = [turns.run('a', slow), turns.run('a', slow)]
  await assert.rejects(turns.run('a', slow), { code: 'test-busy' })
  const other = turns.run('b', slow)
  await assert.rejects(turns.run('c', slow), { code: 'test-busy' })
  for (const end of ends) end()
  await Promise.all([...greedy, other])
  assert.equal(await turns.run('a', () => 5), 5)
})

test('work that fails gives its turn back', async () => {
  const turns = new AnsweringTurns({ ofAll: 1, ofEach: 1 }, ...busy)
  const broken = () => Promise.reject(new Error('broken'))
  await assert.rejects(turns.run('a', broken), /broken/)
  await assert.rejects(turns.run('a', broken), /broken/)
})
