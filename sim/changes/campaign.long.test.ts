import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runChangesCampaign } from './campaign.ts'

test('whatever changes is told to every consumer, through longer troubles', {
  timeout: 1_800_000,
}, async () => {
  const options = { minutes: 2 }
  await runSeeds('changes --minutes 2', seedsFrom(3, 28), (seed) => runChangesCampaign(seed, options))
})
