import assert from 'node:assert/strict'
import { test } from 'vitest'
import { runSeeds, seedsFrom } from '../seeds.ts'
import { runCampaign } from './campaign.ts'

test.each([0, 25, 50, 75, 100, 125, 150, 175])(
  'a store loses nothing to power cuts, kills and failing disks (25 seeds from %i)',
  async (first) => {
    const figures = await runSeeds('store', seedsFrom(first, first + 24), runCampaign)
    assert.ok(figures.reduce((sum, { acknowledged }) => sum + acknowledged, 0) > 500)
  },
)
