import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runCampaign } from './campaign.ts'

describe('a store on a simulated machine', () => {
  test('loses nothing to power cuts, kills and failing disks', async () => {
    const figures = await runSeeds('store', seedsFrom(0, 14), runCampaign)
    assert.ok(figures.reduce((sum, { acknowledged }) => sum + acknowledged, 0) > 300)
  })

  test('what went wrong once is right: a takedown that was said again while its release was cut short', async () => {
    await runSeeds('store', ['750323147002'], runCampaign)
  })

  test('does the same for the same seed, and something else for another', async () => {
    const first = await runCampaign('twice')
    assert.deepEqual(await runCampaign('twice'), first)
    assert.notEqual((await runCampaign('other')).traceHash, first.traceHash)
  })
})
