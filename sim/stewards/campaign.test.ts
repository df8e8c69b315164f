import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runStewardsCampaign } from './campaign.ts'

test('no site has two stewards, whatever happens, and each has one afterwards', async () => {
  for (let seed = 1; seed <= 40; seed++) await runStewardsCampaign(`${seed}`, 3)
}, 120_000)

test('the same seed gives the same run', async () => {
  assert.deepEqual(await runStewardsCampaign('again', 2), await runStewardsCampaign('again', 2))
})
