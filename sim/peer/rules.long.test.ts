import { test } from 'vitest'
import { ruleCampaign } from './rule-campaign.ts'

/** A busy machine takes several times as long: this only catches what hangs. */
const hangMs = 300_000

test.each(Array.from({ length: 12 }, (_, index) => `rules ${index + 2}`))(
  'rules survive cuts and deaths (seed %s)',
  async (seed) => {
    await ruleCampaign(seed)
  },
  hangMs,
)
