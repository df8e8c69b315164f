import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runRolesCampaign } from './campaign.ts'

test('partitions during changes of roles end in one state, by rule, also at thirty more seeds', {
  timeout: 300_000,
}, async () => {
  await runSeeds('roles', seedsFrom(11, 30), runRolesCampaign)
})
