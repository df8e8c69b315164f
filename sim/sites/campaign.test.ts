import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runSitesCampaign } from './campaign.ts'

test('a site is crawled by one peer at a time, and what was called safe is never lost, whatever happens', async () => {
  for (let seed = 1; seed <= 24; seed++) await runSitesCampaign(`${seed}`, 2)
}, 300_000)

test('the same seed gives the same run', async () => {
  assert.deepEqual(await runSitesCampaign('again', 1), await runSitesCampaign('again', 1))
}, 60_000)
