import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runCalmCampaign } from './calm-campaign.ts'
import { runStormCampaign } from './storm-campaign.ts'

// In parts, so that a failure shows early and nothing comes near the time limit.
describe('a simulated ring', () => {
  test.each([20, 90, 160, 230, 300])(
    'is never lost, and no key has two owners (70 seeds from %i)',
    { timeout: 180_000 },
    async (first) => {
      const seeds = seedsFrom(first, first + 69)
      await runSeeds('ring --minutes 0.15', seeds, (seed) => runCalmCampaign({ seed, minutes: 0.15 }))
    },
  )

  test.each([5, 35, 65, 95, 125])(
    'heals from storms (30 seeds from %i)',
    { timeout: 180_000 },
    async (first) => {
      await runSeeds('ring --churn storm', seedsFrom(first, first + 29), (seed) => runStormCampaign({ seed }))
    },
  )

  test('of a hundred peers heals within thirty rounds', { timeout: 180_000 }, async () => {
    const { rounds } = await runCalmCampaign({ seed: '7', peers: 100, minutes: 0.5, sessionMinutes: 2 })
    assert.ok(rounds <= 30)
  })
})
