import { test } from 'vitest'
import { HostileCampaign } from './campaign.ts'

const messages = 1_000

test('spoilt messages to every service and damaged maps end no peer, and hide nothing', async () => {
  const campaign = new HostileCampaign(1)
  campaign.assertHeld(await campaign.run({ messages }))
})
