import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runArchiveCampaign } from './campaign.ts'

const seedsPerTest = 5
const small = { peers: 7, minutes: 3 }

describe('an archive of many peers', () => {
  // In parts, so that a failure shows early and nothing comes near the time limit.
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])(
    'loses nothing that was acknowledged to outages, dead disks, cuts and leavers (part %i of 50 seeds)',
    { timeout: 300_000 },
    async (part) => {
      let acknowledged = 0
      for (let count = 0; count < seedsPerTest; count++) {
        const seed = `${1 + part * seedsPerTest + count}`
        try {
          acknowledged += (await runArchiveCampaign({ seed, ...small })).acknowledged
        } catch (error) {
          const again = `npm run sim -- archive --peers ${small.peers} --minutes ${small.minutes} --seed ${seed}`
          throw new Error(`Seed ${seed} fails. Again: ${again}`, { cause: error })
        }
      }
      assert.ok(acknowledged > 50 * seedsPerTest)
    },
  )

  test('loses nothing with real stores on its disks either', { timeout: 300_000 }, async () => {
    const { acknowledged } = await runArchiveCampaign({ seed: '2', ...small, hasStore: true })
    assert.ok(acknowledged > 50)
  })

  // Two that joined while most were away took themselves for all there are.
  test('acknowledges nothing as if only those were there whom a newcomer has met', {
    timeout: 300_000,
  }, async () => {
    const { acknowledged } = await runArchiveCampaign({ seed: '777012' })
    assert.ok(acknowledged > 100)
  })

  test('does the same for the same seed', { timeout: 300_000 }, async () => {
    const options = { seed: 'twice', peers: 6, minutes: 2 }
    assert.deepEqual(await runArchiveCampaign(options), await runArchiveCampaign(options))
  })
})
