import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runProximityCampaign } from './proximity-campaign.ts'

test('pages are fetched by who is near, once that is known', async () => {
  const small = { volunteers: 2, liars: 0, sites: 9, pages: 60, networks: 2 }
  const { faster, beyondBestLater } = await runProximityCampaign('2', small)
  assert.ok(faster >= 2, `${faster} times as fast as the owners of the sites`)
  assert.ok(beyondBestLater <= 1.2, `${beyondBestLater} times what whoever lies nearest takes`)
})
