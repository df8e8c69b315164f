import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runCampaign } from './campaign.ts'

test.each([3, 13, 23, 33, 43])(
  'peers lose no link to crashes, losses, partitions and changing owners (10 seeds from %i)',
  async (first) => {
    const figures = await runSeeds('exchange', seedsFrom(first, first + 9), runCampaign)
    assert.ok(figures.reduce((sum, { offered }) => sum + offered, 0) > 2_000)
  },
)
