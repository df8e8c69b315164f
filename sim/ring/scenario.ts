// `npm run sim -- ring [--seeds N] [--peers N --minutes M --churn S|storm] [--twice]`
//
// Without options each seed is a small ring with short lists, every third in a storm. With `--peers` a ring of that size;
// `--churn` is the mean session in minutes, or `storm`. A failure tells the last minute up to which all is well, and the
// commit.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { Scenario, ScenarioOptions } from '../scenario.ts'
import { type CampaignOptions, runCalmCampaign } from './calm-campaign.ts'
import { RingViolation } from './ring-violation.ts'
import { runStormCampaign } from './storm-campaign.ts'

const stormyOneIn = 3

export const ringScenario: Scenario = {
  promise: 'a ring never loses itself, no key has two owners, and it heals from storms',
  run: async (seed, options = {}) => {
    const first = await runOnce(seed, options)
    if (options.twice) assert.deepEqual(await runOnce(seed, options), first, 'the same seed gave another run')
    return first
  },
}

async function runOnce(seed: string, options: ScenarioOptions): Promise<Record<string, number | string>> {
  const peers = options.peers === undefined ? undefined : Number(options.peers)
  const isStormy = options.churn === 'storm' || (peers === undefined && Number(seed) % stormyOneIn === 0)
  if (isStormy) return { ...(await runStormCampaign({ seed, ...(peers && { peers }) })) }
  const campaign: CampaignOptions = {
    seed,
    ...(peers && { peers }),
    ...(options.minutes && { minutes: Number(options.minutes) }),
    ...(options.churn && { sessionMinutes: Number(options.churn) }),
  }
  try {
    return { ...(await runCalmCampaign(campaign)) }
  } catch (error) {
    if (!(error instanceof RingViolation)) throw error
    const minutes = await lastGoodMinute(campaign, error)
    throw new Error(`Seed ${seed}, commit ${commit()}: all is well for ${minutes} minutes of churn, then:`, {
      cause: error,
    })
  }
}

/** The longest campaign in whole minutes that keeps all promises. */
async function lastGoodMinute(campaign: CampaignOptions, { atMs }: RingViolation): Promise<number> {
  for (let minutes = Math.floor(atMs / 60_000); minutes > 0; minutes--) {
    try {
      await runCalmCampaign({ ...campaign, minutes })
      return minutes
    } catch (error) {
      if (!(error instanceof RingViolation)) throw error
    }
  }
  return 0
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: import.meta.dirname })
      .toString()
      .trim()
  } catch {
    return 'unknown'
  }
}
