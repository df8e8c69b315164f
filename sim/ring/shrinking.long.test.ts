import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runCalmCampaign } from './calm-campaign.ts'
import { rulesOf } from './mutants.ts'
import { RingViolation } from './ring-violation.ts'
import { lastGoodMinutes } from './shrinking.ts'
import { runStormCampaign } from './storm-campaign.ts'

const rules = rulesOf('dead predecessor stays')
const campaigns = {
  calm: (minutes?: number) => runCalmCampaign({ seed: '1', rules, ...(minutes && { minutes }) }),
  stormy: (minutes?: number) => runStormCampaign({ seed: '3', rules, ...(minutes && { minutes }) }),
}

async function violationOf(run: Promise<unknown>): Promise<RingViolation> {
  try {
    await run
  } catch (error) {
    if (error instanceof RingViolation) return error
    throw error
  }
  return assert.fail('no promise was broken')
}

describe('a failing campaign', () => {
  test.each(Object.entries(campaigns))(
    'that is %s goes well up to some minute, and not a tenth longer',
    async (_, run) => {
      const minutes = await lastGoodMinutes(run, await violationOf(run()))
      assert.ok(minutes > 0)
      await run(minutes)
      await violationOf(run(minutes + 0.1))
    },
  )

  test('that fails for another reason is not shortened', async () => {
    const run = (): Promise<void> => Promise.reject(new TypeError('a mistake in the simulator'))
    await assert.rejects(lastGoodMinutes(run, new RingViolation('one ring', '', 60_000, 1)), TypeError)
  })
})
