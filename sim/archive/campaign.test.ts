import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runArchiveCampaign } from './campaign.ts'

const small = { peers: 7, minutes: 3 }

describe('an archive of many peers', () => {
  test('loses nothing that was acknowledged to outages, dead disks, cuts and leavers', async () => {
    const figures = await runSeeds('archive --peers 7 --minutes 3', seedsFrom(1, 3), (seed) =>
      runArchiveCampaign({ seed, ...small }),
    )
    for (const { acknowledged } of figures) assert.ok(acknowledged > 30)
  })

  test('loses nothing with real stores on its disks either', async () => {
    const { acknowledged } = await runArchiveCampaign({ seed: '2', ...small, hasStore: true })
    assert.ok(acknowledged > 50)
  })

  test('does the same for the same seed', async () => {
    const options = { seed: 'twice', peers: 5, minutes: 1 }
    assert.deepEqual(await runArchiveCampaign(options), await runArchiveCampaign(options))
  })
})
