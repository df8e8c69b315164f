// `npm run sim -- stewards [--seeds N] [--minutes M]`

import type { Scenario } from '../scenario.ts'
import { runStewardsCampaign } from './campaign.ts'

export const stewardsScenario: Scenario = {
  options: '[--minutes M]',
  promise: 'no site has two stewards at any moment, and each has one soon after faults have ended',
  run: (seed, { minutes } = {}) =>
    runStewardsCampaign(seed, minutes === undefined ? undefined : Number(minutes)),
}
