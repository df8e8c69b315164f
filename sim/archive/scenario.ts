// `npm run sim -- archive [--seeds N] [--peers N] [--minutes M | --years Y] [--stores] [--twice]`
//
// Without options each seed is a storm of minutes over an archive of 5 to 16 peers, every fiftieth one over a hundred. With
// `--stores` peers have real stores on their simulated disks, instead of an index that stands for one. With
// `--years` each is so many years of life of a hundred peers: years-campaign.ts tells what time means there.

import assert from 'node:assert/strict'
import type { Scenario, ScenarioOptions } from '../scenario.ts'
import { runArchiveCampaign } from './campaign.ts'
import { runYears } from './years-campaign.ts'

const largeOneIn = 50
const largePeers = 100

export const archiveScenario: Scenario = {
  options: '[--peers N] [--minutes M | --years Y] [--stores] [--twice]',
  promise:
    'nothing acknowledged is lost while fewer copies fail than it has, and all has its copies afterwards',
  seedsByDefault: 100,
  run: async (seed, options = {}) => {
    const first = await runOnce(seed, options)
    if (options.twice) assert.deepEqual(await runOnce(seed, options), first, 'the same seed gave another run')
    return first
  },
}

function runOnce(seed: string, options: ScenarioOptions): Promise<Record<string, number | string>> {
  const peers = numberOf(options.peers)
  const years = numberOf(options.years)
  if (years !== undefined) return runYears({ seed, years, peers })
  const isLarge = Number(seed) % largeOneIn === 0
  const minutes = numberOf(options.minutes)
  return runArchiveCampaign({
    seed,
    peers: peers ?? (isLarge ? largePeers : undefined),
    minutes,
    hasStore: options.stores,
  })
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text)
}
