import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runStewardsCampaign } from './campaign.ts'

test('no site has two stewards, whatever happens, and each has one afterwards', async () => {
  await runSeeds('stewards --minutes 3', seedsFrom(1, 10), (seed) => runStewardsCampaign(seed, 3))
})

test('the same seed gives the same run', async () => {
  assert.deepEqual(await runStewardsCampaign('again', 2), await runStewardsCampaign('again', 2))
})
