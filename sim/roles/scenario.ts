// `npm run sim -- roles [--seeds N]`

import type { Scenario } from '../scenario.ts'
import { runRolesCampaign } from './campaign.ts'

export const rolesScenario: Scenario = {
  promise:
    'a network that is cut in two while roles are granted and revoked on both sides has one state afterwards, and old dates help nobody',
  run: (seed) => runRolesCampaign(seed),
}
