// `npm run sim -- audits [--seeds N] [--peers N]`

import type { Scenario } from '../scenario.ts'
import { runAuditCampaign } from './campaign.ts'

export const auditsScenario: Scenario = {
  options: '[--peers N]',
  promise: 'every free-rider is found in ten rounds of audits, and no honest peer is taken for one',
  seedsByDefault: 20,
  run: (seed, { peers } = {}) => runAuditCampaign(seed, peers === undefined ? {} : { peers: Number(peers) }),
}
