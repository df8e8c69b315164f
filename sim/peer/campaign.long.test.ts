import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runSeeds } from '../seeds.ts'
import { runWholeCampaign } from './campaign.ts'
import { runLossesCampaign } from './losses.ts'

test('whole peers crawl a web to its end, politely, and every peer shows all of it, whatever happens', async () => {
  await runSeeds('whole', ['2', '3'], (seed) => runWholeCampaign(seed))
})

test('the same seed gives the same run, however often the real event loop has its turn; another one gives another', async () => {
  const first = await runWholeCampaign('twice')
  // What waits for something real (a thread, a timer, a file) would come at another moment.
  assert.deepEqual(await runWholeCampaign('twice', { eventsPerTurn: 50 }), first)
  assert.notEqual((await runWholeCampaign('other')).traceHash, first.traceHash)
})

test('no queued page is lost when disks are, two at a time and each until the network says that it got over it', {
  timeout: 1_200_000,
}, async () => {
  await runSeeds('losses', ['200', '1000', '5109'], (seed) => runLossesCampaign(seed))
})
