import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runWholeCampaign } from './campaign.ts'

test('whole peers crawl a web to its end, politely, and every peer shows all of it, whatever happens', async () => {
  for (const seed of ['1', '2', '3']) await runWholeCampaign(seed)
}, 120_000)

test('the same seed gives the same run, and another one another', async () => {
  const first = await runWholeCampaign('twice')
  assert.deepEqual(await runWholeCampaign('twice'), first)
  assert.notEqual((await runWholeCampaign('other')).traceHash, first.traceHash)
}, 120_000)
