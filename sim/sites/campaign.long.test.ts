import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runSitesCampaign } from './campaign.ts'

test('a site is crawled by one peer at a time, and what was called safe is never lost, whatever happens', {
  timeout: 300_000,
}, async () => {
  await runSeeds('sites --minutes 2', seedsFrom(4, 24), (seed) => runSitesCampaign(seed, 2))
})
