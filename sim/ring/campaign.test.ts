import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runCalmCampaign } from './calm-campaign.ts'
import { ringScenario } from './scenario.ts'
import { runStormCampaign } from './storm-campaign.ts'

const parts = 5
const calmSeeds = 350
const stormSeeds = 150

function partOf(seeds: number, part: number): string[] {
  return Array.from({ length: seeds / parts }, (_, count) => String(part * (seeds / parts) + count))
}

async function each(seeds: string[], run: (seed: string) => Promise<unknown>): Promise<void> {
  for (const seed of seeds) {
    try {
      await run(seed)
    } catch (error) {
      throw new Error(`Seed ${seed} fails`, { cause: error })
    }
  }
}

describe('a simulated ring', () => {
  test.each(Array.from({ length: parts }, (_, part) => part))(
    `is never lost, and no key has two owners (part %i of ${calmSeeds} seeds)`,
    (part) => each(partOf(calmSeeds, part), (seed) => runCalmCampaign({ seed, minutes: 0.15 })),
    180_000,
  )

  test.each(Array.from({ length: parts }, (_, part) => part))(
    `heals from storms (part %i of ${stormSeeds} seeds)`,
    (part) => each(partOf(stormSeeds, part), (seed) => runStormCampaign({ seed })),
    180_000,
  )

  test('does the same for the same seed, and something else for another', async () => {
    const options = { minutes: '0.3', twice: true }
    const calm = await ringScenario.run('1', options)
    const stormy = await ringScenario.run('3', options)
    assert.notEqual(calm.traceHash, (await ringScenario.run('2', options)).traceHash)
    assert.notEqual(stormy.traceHash, calm.traceHash)
  })

  test('of a hundred peers heals within thirty rounds', async () => {
    const { rounds } = await runCalmCampaign({ seed: '7', peers: 100, minutes: 0.5, sessionMinutes: 2 })
    assert.ok(rounds <= 30)
  }, 180_000)
})
