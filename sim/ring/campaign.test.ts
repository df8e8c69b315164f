import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runCalmCampaign } from './calm-campaign.ts'
import { ringScenario } from './scenario.ts'
import { runStormCampaign } from './storm-campaign.ts'

describe('a simulated ring', () => {
  test('is never lost, and no key has two owners', async () => {
    await runSeeds('ring --minutes 0.15', seedsFrom(0, 19), (seed) =>
      runCalmCampaign({ seed, minutes: 0.15 }),
    )
  })

  test('heals from storms', async () => {
    await runSeeds('ring --churn storm', seedsFrom(0, 4), (seed) => runStormCampaign({ seed }))
  })

  test('does the same for the same seed, and something else for another', async () => {
    const options = { minutes: '0.1', twice: true }
    const calm = await ringScenario.run('1', options)
    const stormy = await ringScenario.run('3', options)
    assert.notEqual(calm.traceHash, (await ringScenario.run('2', options)).traceHash)
    assert.notEqual(stormy.traceHash, calm.traceHash)
  })
})
