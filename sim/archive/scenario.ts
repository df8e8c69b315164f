// `npm run sim -- archive [--seeds N] [--peers N] [--minutes M] [--twice]`
//
// Without options each seed is an archive of 5 to 16 peers, every fiftieth one of a hundred.

import assert from 'node:assert/strict'
import type { Scenario } from '../scenario.ts'
import { runArchiveCampaign } from './campaign.ts'

const largeOneIn = 50
const largePeers = 100

export const archiveScenario: Scenario = {
  promise:
    'nothing acknowledged is lost while fewer copies fail than it has, and all has its copies afterwards',
  seedsByDefault: 100,
  run: async (seed, options = {}) => {
    const isLarge = Number(seed) % largeOneIn === 0
    const peers = options.peers === undefined ? (isLarge ? largePeers : undefined) : Number(options.peers)
    const minutes = options.minutes === undefined ? undefined : Number(options.minutes)
    const first = await runArchiveCampaign({ seed, peers, minutes })
    if (options.twice)
      assert.deepEqual(
        await runArchiveCampaign({ seed, peers, minutes }),
        first,
        'the same seed gave another run',
      )
    return first
  },
}
