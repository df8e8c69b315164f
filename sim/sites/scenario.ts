// `npm run sim -- sites [--seeds N] [--minutes M]`

import type { Scenario } from '../scenario.ts'
import { runSitesCampaign } from './campaign.ts'

export const sitesScenario: Scenario = {
  options: '[--minutes M]',
  promise:
    'a site is crawled by one peer at a time, politely, and what was called safe is never lost nor done again',
  run: (seed, { minutes } = {}) =>
    runSitesCampaign(seed, minutes === undefined ? undefined : Number(minutes)),
}
