import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runCampaign } from './campaign.ts'

describe('peers that exchange links', () => {
  test('lose no link to crashes, losses, partitions and changing owners', async () => {
    const figures = await runSeeds('exchange', seedsFrom(0, 2), runCampaign)
    assert.ok(figures.reduce((sum, { offered }) => sum + offered, 0) > 1_000)
  })

  test('do the same for the same seed, and something else for another', async () => {
    const first = await runCampaign('twice')
    assert.deepEqual(await runCampaign('twice'), first)
    assert.notEqual((await runCampaign('other')).traceHash, first.traceHash)
  })
})
