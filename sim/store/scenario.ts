import type { Scenario } from '../scenario.ts'
import { runCampaign } from './campaign.ts'

export const storeScenario: Scenario = {
  promise: 'a store loses nothing that it acknowledged: power cuts, kills, failing and full disks',
  run: async (seed) => ({ ...(await runCampaign(seed)) }),
}
