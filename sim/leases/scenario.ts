// `npm run sim -- leases [--seeds N] [--minutes M]`, and `liar` for the same with a member that lies.

import type { Scenario } from '../scenario.ts'
import { runLeasesCampaign } from './campaign.ts'

export const leasesScenario: Scenario = {
  options: '[--minutes M]',
  promise: 'no site has two lease holders at any moment, and each has one soon after faults have ended',
  run: (seed, { minutes } = {}) => runLeasesCampaign(seed, lasting(minutes)),
}

export const liarScenario: Scenario = {
  options: '[--minutes M]',
  promise: 'one member lies about leases all the time, and sites have their lease holders all the same',
  run: (seed, { minutes } = {}) => runLeasesCampaign(seed, { ...lasting(minutes), hasLiar: true }),
}

function lasting(minutes: unknown): { minutes?: number } {
  return minutes === undefined ? {} : { minutes: Number(minutes) }
}
