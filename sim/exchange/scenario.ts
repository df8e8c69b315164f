// `npm run sim -- exchange [--seeds N] [--twice]`

import assert from 'node:assert/strict'
import type { Scenario } from '../scenario.ts'
import { runCampaign } from './campaign.ts'

export const exchangeScenario: Scenario = {
  promise: 'every link that was accepted comes to its owner: crashes, losses, partitions, changing owners',
  run: async (seed, options = {}) => {
    const first = await runCampaign(seed)
    if (options.twice) assert.deepEqual(await runCampaign(seed), first, 'the same seed gave another run')
    return { ...first }
  },
}
