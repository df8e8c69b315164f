import assert from 'node:assert/strict'
import { test } from 'vitest'
import { stateClass, stateOf } from './job-state.ts'

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
  assert.equal(stateOf(job), words)
  assert.equal(stateClass(job), name)
})
