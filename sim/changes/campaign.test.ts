import { test } from 'vitest'
import { runSeeds } from '../seeds.ts'
import { runChangesCampaign } from './campaign.ts'

test('whatever changes is told to every consumer, in order and at least once, whoever crawls and whoever is asked', async () => {
  const options = { minutes: 0.5, peers: 3 }
  await runSeeds('changes --minutes 0.5 --peers 3', ['1', '2'], (seed) => runChangesCampaign(seed, options))
})
