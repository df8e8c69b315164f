import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Bound } from './split-sites.ts'
import { SplitWords } from './split-words.ts'

const key = Buffer.from('a bound')
const here: Bound = { key, isGone: false }
const gone: Bound = { key, isGone: true }

/** What holds when these have spoken, in this order and turned round. */
function stateAfter(...said: [author: string, bound: Bound][]): boolean | undefined {
  const states = [said, said.toReversed()].map((order) => {
    const words = new SplitWords(2)
    for (const [author, bound] of order) words.say(author, bound)
    return words.takeChanged(10)[0]?.isGone
  })
  assert.equal(states[0], states[1])
  return states[0]
}

test('a bound holds when two say so, and more than say that it is gone', () => {
  assert.equal(stateAfter(['a', here]), undefined)
  assert.equal(stateAfter(['a', gone]), undefined)
  assert.equal(stateAfter(['a', here], ['b', here]), false)
  assert.equal(stateAfter(['a', here], ['b', here], ['m', gone]), false)
  assert.equal(stateAfter(['a', here], ['b', gone]), true)
  assert.equal(stateAfter(['a', here], ['b', here], ['c', gone], ['d', gone]), true)
})

test('one who says it again and again is still one', () => {
  const words = new SplitWords(2)
  for (let time = 0; time < 5; time++) words.say('m', here)
  assert.deepEqual(words.takeChanged(10), [])
  assert.deepEqual(words.proposed(), [key])
})

test('what has changed is taken a few at a time', () => {
  const words = new SplitWords(1)
  for (let number = 0; number < 25; number++) words.say('a', { key: Buffer.from([number]), isGone: false })
  const counts: number[] = []
  while (words.hasChanged) counts.push(words.takeChanged(10).length)
  assert.deepEqual(counts, [10, 10, 5])
})
