import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runWholeCampaign } from './campaign.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000

test(
  'whole peers crawl a web to its end, politely, and every peer shows all of it, whatever happens',
  async () => {
    for (const seed of ['1', '2', '3']) await runWholeCampaign(seed)
  },
  hangMs,
)

test(
  'the same seed gives the same run, however often the real event loop has its turn; another one gives another',
  async () => {
    const first = await runWholeCampaign('twice')
    // What waits for something real (a thread, a timer, a file) would come at another moment.
    assert.deepEqual(await runWholeCampaign('twice', { eventsPerTurn: 50 }), first)
    assert.notEqual((await runWholeCampaign('other')).traceHash, first.traceHash)
  },
  hangMs,
)
