import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runStewardsCampaign } from './campaign.ts'

test('no site has two stewards, whatever happens, and each has one afterwards', {
  timeout: 120_000,
}, async () => {
  await runSeeds('stewards --minutes 3', seedsFrom(11, 40), (seed) =>
    runStewardsCampaign(seed, { minutes: 3 }),
  )
})
