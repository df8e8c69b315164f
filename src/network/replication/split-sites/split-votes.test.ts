import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Bound } from './split-sites.ts'
import { SplitVotes } from './split-votes.ts'

const key = Buffer.from('a bound')
const here: Bound = { key, isGone: false }
const gone: Bound = { key, isGone: true }

/** What holds when these have spoken, in this order and turned round. */
function stateAfter(...said: [author: string, bound: Bound][]): boolean | undefined {
  const states = [said, said.toReversed()].map((order) => {
    const votes = new SplitVotes(2)
    for (const [author, bound] of order) votes.record(author, bound)
    return votes.takeChanged(10)[0]?.isGone
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
  const votes = new SplitVotes(2)
  for (let time = 0; time < 5; time++) votes.record('m', here)
  assert.deepEqual(votes.takeChanged(10), [])
  assert.deepEqual(votes.proposed(), [key])
})

test('what has changed is taken a few at a time', () => {
  const votes = new SplitVotes(1)
  for (let number = 0; number < 25; number++) votes.record('a', { key: Buffer.from([number]), isGone: false })
  const counts: number[] = []
  while (votes.hasChanged) counts.push(votes.takeChanged(10).length)
  assert.deepEqual(counts, [10, 10, 5])
})
