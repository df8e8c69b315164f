// `npm run sim -- whole [--seeds N] [--peers P] [--minutes M]`

import type { Scenario } from '../scenario.ts'
import { runWholeCampaign } from './campaign.ts'

export const wholeScenario: Scenario = {
  options: '[--peers P] [--minutes M]',
  promise: 'whole peers crawl a web to its end, politely, and every peer shows all of it, whatever happens',
  seedsByDefault: 20,
  run: (seed, { peers, minutes } = {}) =>
    runWholeCampaign(seed, {
      ...(peers !== undefined && { peers: Number(peers) }),
      ...(minutes !== undefined && { minutes: Number(minutes) }),
    }),
}
