import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runCampaign } from './campaign.ts'

const seedsPerTest = 50

describe('a store on a simulated machine', () => {
  // In parts, so that a failure shows early and nothing comes near the time limit.
  test.each([0, 1, 2, 3])(
    'loses nothing to power cuts, kills and failing disks (part %i of 200 seeds)',
    async (part) => {
      let acknowledged = 0
      for (let seed = part * seedsPerTest; seed < (part + 1) * seedsPerTest; seed++) {
        try {
          acknowledged += (await runCampaign(seed)).acknowledged
        } catch (error) {
          throw new Error(`Seed ${seed} fails. Again: npm run sim -- store --seed ${seed}`, { cause: error })
        }
      }
      assert.ok(acknowledged > 20 * seedsPerTest)
    },
  )

  test('does the same for the same seed, and something else for another', async () => {
    const first = await runCampaign('twice')
    assert.deepEqual(await runCampaign('twice'), first)
    assert.notEqual((await runCampaign('other')).traceHash, first.traceHash)
  })
})
