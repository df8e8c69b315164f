import { test } from 'vitest'
import { ruleCampaign } from './rule-campaign.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000

test(
  'a rule set while a peer is away holds on all when it is back, and nobody asks for what it knows to be denied',
  async () => {
    await ruleCampaign('rules 1')
  },
  hangMs,
)
