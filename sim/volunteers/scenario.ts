// `npm run sim -- proximity [--seeds N] [--peers V]`

import type { Scenario } from '../scenario.ts'
import { checkProximity, runProximityCampaign } from './proximity-campaign.ts'

export const proximityScenario: Scenario = {
  options: '[--peers V]: so many volunteers on each of three continents, 4 unless told',
  promise:
    'pages are fetched by who is near: at least twice as fast as by the owners of their sites, and at most 1.15 times what is possible',
  seedsByDefault: 10,
  run: async (seed, { peers } = {}) =>
    checkProximity(
      await runProximityCampaign(seed, peers === undefined ? {} : { volunteers: Number(peers) }),
    ),
}
