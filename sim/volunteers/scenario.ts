// `npm run sim -- feeding [--peers V]`, `npm run sim -- proximity [--seeds N] [--peers V]`, `npm run sim -- trust [--seeds N] [--liars SHARE] [--forged SHARE]`

import type { Scenario } from '../scenario.ts'
import { runFeedingCampaign } from './feeding-campaign.ts'
import { checkProximity, runProximityCampaign } from './proximity-campaign.ts'
import { checkedTrust, runTrustCampaign } from './trust-campaign.ts'

export const feedingScenario: Scenario = {
  options: '[--peers V]: volunteers (100), with four hosts each',
  promise: 'one peer keeps a hundred volunteers at work',
  seedsByDefault: 1,
  run: (seed, { peers } = {}) => runFeedingCampaign(seed, peers === undefined ? undefined : Number(peers)),
}

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

export const trustScenario: Scenario = {
  options:
    '[--peers V] [--pages P]: volunteers (60), pages of each of eight sites (300); [--liars SHARE] of them (0.1); [--forged SHARE] of what forgers bring (0.5)',
  promise: 'of 1,000 pages that volunteers bring at most one is forged when their crawl is over',
  seedsByDefault: 10,
  run: async (seed, { peers, pages, liars, forged } = {}) =>
    checkedTrust(
      await runTrustCampaign(seed, {
        ...(peers !== undefined && { volunteers: Number(peers) }),
        ...(pages !== undefined && { pages: Number(pages) }),
        ...(liars !== undefined && { liarShare: Number(liars) }),
        ...(forged !== undefined && { forgedShare: Number(forged) }),
      }),
    ),
}
