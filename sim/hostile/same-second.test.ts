import { test } from 'vitest'
import { SameSecondCampaign } from './same-second.ts'

test('what a holder makes up for a second is not shown for it', async () => {
  const campaign = new SameSecondCampaign(3)
  await campaign.run()
  campaign.assertHeld()
})
