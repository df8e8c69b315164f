import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runArchiveCampaign } from './campaign.ts'

const small = { peers: 7, minutes: 3 }

describe('an archive of many peers', () => {
  // In parts, so that a failure shows early and nothing comes near the time limit.
  test.each([4, 9, 14, 19, 24, 29, 34, 39, 44, 49])(
    'loses nothing that was acknowledged to outages, dead disks, cuts and leavers (5 seeds from %i)',
    { timeout: 300_000 },
    async (first) => {
      const figures = await runSeeds('archive --peers 7 --minutes 3', seedsFrom(first, first + 4), (seed) =>
        runArchiveCampaign({ seed, ...small }),
      )
      assert.ok(figures.reduce((sum, { acknowledged }) => sum + acknowledged, 0) > 250)
    },
  )

  // Two that joined while most were away took themselves for all there are.
  test('acknowledges nothing as if only those were there whom a newcomer has met', {
    timeout: 300_000,
  }, async () => {
    const { acknowledged } = await runArchiveCampaign({ seed: '777012' })
    assert.ok(acknowledged > 100)
  })

  // The only two that saw each other had a takedown, and the disks of both died: nobody else can know of it.
  test('asks no more of a takedown than that it outlives all but one of the disks it was said to be on', {
    timeout: 300_000,
  }, async () => {
    const { takedowns } = await runArchiveCampaign({ seed: '9400144' })
    assert.ok(takedowns > 0)
  })

  // The last with a ring died while the others were joining, and these joined through each other for ever.
  test('comes back when nobody has a ring to join any more', { timeout: 300_000 }, async () => {
    const { acknowledged } = await runArchiveCampaign({ seed: '9500168' })
    assert.ok(acknowledged > 100)
  })

  // One that came back was told of nobody but itself, and made a ring of its own.
  test('takes a peer in again that comes back while few others are there', { timeout: 300_000 }, async () => {
    const { acknowledged } = await runArchiveCampaign({ seed: '9503533' })
    assert.ok(acknowledged > 100)
  })

  test('asks for no more copies than there are peers that others have patience with', {
    timeout: 300_000,
  }, async () => {
    const { acknowledged } = await runArchiveCampaign({ seed: '9503714' })
    assert.ok(acknowledged > 50)
  })

  test('does the same for the same seed', { timeout: 300_000 }, async () => {
    const options = { seed: 'twice', peers: 6, minutes: 2 }
    assert.deepEqual(await runArchiveCampaign(options), await runArchiveCampaign(options))
  })
})
