import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runAuditCampaign } from './campaign.ts'

test('every free-rider is found in ten rounds of audits, and no honest peer is taken for one', {
  timeout: 600_000,
}, async () => {
  await runSeeds('audits --peers 10', seedsFrom(1, 2), (seed) => runAuditCampaign(seed, { peers: 10 }))
})
