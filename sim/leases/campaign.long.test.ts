import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runLeasesCampaign } from './campaign.ts'

test('no site has two lease holders, whatever happens, and each has one afterwards', {
  timeout: 120_000,
}, async () => {
  await runSeeds('leases --minutes 3', seedsFrom(6, 40), (seed) => runLeasesCampaign(seed, { minutes: 3 }))
})
