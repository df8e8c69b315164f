import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runLiars } from './liars.ts'

test('with a fifth of liars, who know each other, 99 of 100 lookups find the owner', {
  timeout: 300_000,
}, async () => {
  const figures = await runSeeds('lookups', seedsFrom(1, 2), (seed) => runLiars({ seed, lookups: 300 }))
  const [right, all] = [figures.reduce((sum, each) => sum + each.right, 0), 600]
  assert(right / all >= 0.99, `${right} of ${all} are right`)
})

test('without liars all do, and most need no witnesses', { timeout: 300_000 }, async () => {
  const { right, lookups } = await runLiars({ seed: '1', peers: 60, share: 0.001, lookups: 100 })
  assert.equal(right, lookups)
})
