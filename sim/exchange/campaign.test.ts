import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runCampaign } from './campaign.ts'

const seedsPerTest = 10

describe('peers that exchange links', () => {
  // In parts, so that a failure shows early and nothing comes near the time limit.
  test.each([0, 1, 2, 3, 4])(
    'lose no link to crashes, losses, partitions and changing owners (part %i of 50 seeds)',
    async (part) => {
      let offered = 0
      for (let seed = part * seedsPerTest; seed < (part + 1) * seedsPerTest; seed++) {
        try {
          offered += (await runCampaign(seed)).offered
        } catch (error) {
          throw new Error(`Seed ${seed} fails. Again: npm run sim -- exchange --seed ${seed}`, {
            cause: error,
          })
        }
      }
      assert.ok(offered > 200 * seedsPerTest)
    },
  )

  test('do the same for the same seed, and something else for another', async () => {
    const first = await runCampaign('twice')
    assert.deepEqual(await runCampaign('twice'), first)
    assert.notEqual((await runCampaign('other')).traceHash, first.traceHash)
  })
})
