import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runSitesCampaign } from './campaign.ts'

test('a site is crawled by one peer at a time, and what was called safe is never lost, whatever happens', {
  timeout: 300_000,
}, async () => {
  await runSeeds('sites --minutes 2', seedsFrom(4, 24), (seed) => runSitesCampaign(seed, 2))
})

/** A peer that had been away told members to drop newer replicas; two copies of a site came at the same time. */
test('what went wrong once is right', { timeout: 300_000 }, async () => {
  await runSeeds('sites', ['1794908655662', '601'], (seed) => runSitesCampaign(seed))
})
