import assert from 'node:assert/strict'
import { test } from 'vitest'
import { pendingWords, shareDone, stateClass, stateOf } from './job-state.ts'

test.each([
  [{ state: 'running', ending: null, outcome: null }, 'running', 'state running'],
  [{ state: 'paused', ending: null, outcome: null }, 'paused', 'state paused'],
  [{ state: 'done', ending: 'complete', outcome: 'complete' }, 'complete', 'state done complete'],
  [{ state: 'done', ending: 'complete', outcome: 'partly' }, 'partly kept', 'state done partly'],
  [{ state: 'done', ending: 'complete', outcome: 'nothing' }, 'nothing kept', 'state done nothing'],
  [
    { state: 'done', ending: 'budget of 5 pages is spent', outcome: 'partly' },
    'partly kept: budget of 5 pages is spent',
    'state done partly',
  ],
  [
    { state: 'done', ending: 'cancelled', outcome: 'nothing' },
    'nothing kept: it was ended',
    'state done nothing',
  ],
] as const)('%o is told as what it is', (job, words, name) => {
  assert.equal(String(stateOf(job)), words)
  assert.equal(stateClass(job), name)
})

test('what a crawl that has ended did not fetch is not to do any more, nor is it done', () => {
  assert.deepEqual([pendingWords({ state: 'running' }), pendingWords({ state: 'done' })].map(String), [
    'to do',
    'left out',
  ])
  const share = (state: string, queued: number, pending: number) =>
    shareDone({ state, counters: { queued, pending } })
  assert.deepEqual([share('done', 40, 30), share('done', 40, 0), share('running', 40, 30)], [0.25, 1, 0.25])
  assert.deepEqual([share('done', 0, 0), share('running', 0, 0)], [1, 0])
})
