import { test } from 'vitest'
import { runSeeds } from '../seeds.ts'
import { runWholeCampaign } from './campaign.ts'

test('whole peers crawl a web to its end, politely, and every peer shows all of it, whatever happens', async () => {
  await runSeeds('whole', ['1'], (seed) => runWholeCampaign(seed))
})
