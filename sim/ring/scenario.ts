// `npm run sim -- ring [--seeds N] [--peers N --minutes M --churn S|storm] [--twice]`
//
// Without options each seed is a small ring with short lists, every third in a storm. With `--peers` a ring of that size;
// `--churn` is the mean session in minutes, or `storm`. A failure tells the last minute up to which faults do no harm, and
// the commit.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { Scenario, ScenarioOptions } from '../scenario.ts'
import { type CampaignOptions, runCalmCampaign } from './calm-campaign.ts'
import { runLiars } from './liars.ts'
import { RingViolation } from './ring-violation.ts'
import { lastGoodMinutes } from './shrinking.ts'
import { runStormCampaign } from './storm-campaign.ts'

const stormyOneIn = 3

export const ringScenario: Scenario = {
  options:
    '[--peers N] [--minutes M] [--churn MINUTES|storm] [--places]: peers take and give up places, too [--twice]',
  promise: 'a ring never loses itself, no key has two owners, and it heals from storms',
  run: async (seed, options = {}) => {
    const first = await runOnce(seed, options)
    if (options.twice) assert.deepEqual(await runOnce(seed, options), first, 'the same seed gave another run')
    return first
  },
}

export const lookupsScenario: Scenario = {
  options: '[--peers N]',
  promise: 'with a fifth of liars at least 97 of 100 lookups find the owner in every run, and 99 on average',
  seedsByDefault: 10,
  run: async (seed, { peers } = {}) => {
    const figures = await runLiars({ seed, ...(peers && { peers: Number(peers) }) })
    assert(figures.right >= 0.97 * figures.lookups, JSON.stringify(figures))
    return { ...figures }
  },
}

async function runOnce(seed: string, options: ScenarioOptions): Promise<Record<string, number | string>> {
  const peers = options.peers === undefined ? undefined : Number(options.peers)
  const isStormy = options.churn === 'storm' || (peers === undefined && Number(seed) % stormyOneIn === 0)
  const campaign: CampaignOptions = {
    seed,
    hasMoves: options.places === true,
    ...(peers && { peers }),
    ...(options.minutes && { minutes: Number(options.minutes) }),
    ...(!isStormy && options.churn && { sessionMinutes: Number(options.churn) }),
  }
  const run = isStormy ? runStormCampaign : runCalmCampaign
  try {
    return { ...(await run(campaign)) }
  } catch (error) {
    if (!(error instanceof RingViolation)) throw error
    const minutes = await lastGoodMinutes((longest) => run({ ...campaign, minutes: longest }), error)
    throw new Error(`Seed ${seed}, commit ${commit()}: all is well for ${minutes} minutes of faults, then:`, {
      cause: error,
    })
  }
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
