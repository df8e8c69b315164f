// `npm run sim -- changes [--seeds N] [--peers P] [--minutes M]`

import type { Scenario } from '../scenario.ts'
import { runChangesCampaign } from './campaign.ts'

export const changesScenario: Scenario = {
  options: '[--peers P] [--minutes M]',
  promise:
    'whatever changes is told to every consumer, in order and at least once, whoever crawls and whoever is asked',
  seedsByDefault: 20,
  run: (seed, { peers, minutes } = {}) =>
    runChangesCampaign(seed, {
      ...(peers !== undefined && { peers: Number(peers) }),
      ...(minutes !== undefined && { minutes: Number(minutes) }),
    }),
}
