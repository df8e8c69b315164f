// `npm run sim -- hostile`: see campaign.ts.

import type { Scenario } from '../scenario.ts'
import { HostileCampaign } from './campaign.ts'

const messagesDefault = 20_000

export const hostileScenario: Scenario = {
  promise: 'spoilt messages of a member to every service, and damaged maps, end no peer and hide nothing',
  options: '--messages N: so many for each seed, 20,000 unless told',
  seedsByDefault: 50,
  async run(seed, options = {}) {
    const campaign = new HostileCampaign(seed)
    const figures = await campaign.run({ messages: Number(options.messages ?? messagesDefault) })
    campaign.assertHeld(figures)
    return figures
  },
}
