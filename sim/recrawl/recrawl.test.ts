import assert from 'node:assert/strict'
import { test } from 'vitest'
import { compare } from './scenario.ts'

const short = { learning: 20, counted: 10 }

test('what is learned from visits alone comes near the best there is', () => {
  for (const seed of ['1', '2', '3', '4']) compare(seed, short, 300)
})

test('the same seed gives the same run', () => {
  assert.deepEqual(compare('7', short, 100), compare('7', short, 100))
})
