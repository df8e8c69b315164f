import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runSitesCampaign } from './campaign.ts'

test('a site is crawled by one peer at a time, and what was called safe is never lost, whatever happens', async () => {
  await runSeeds('sites --minutes 2', seedsFrom(1, 3), (seed) => runSitesCampaign(seed, 2))
})

test('the same seed gives the same run', async () => {
  assert.deepEqual(await runSitesCampaign('again', 1), await runSitesCampaign('again', 1))
})
