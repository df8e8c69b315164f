// Every mistake that is easily made in the protocol is found by the checkers, and not found where it was not made.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runCalmCampaign } from './calm-campaign.ts'
import { mutants, rulesOf, rulesOf2001 } from './mutants.ts'
import { RingViolation } from './ring-violation.ts'

/** Which seed kills it, and which promise it breaks there. */
const deaths: Record<string, { seed: string; rule: string }> = {
  'as published in 2001': { seed: '1', rule: 'live successor' },
  'partial list on join': { seed: '1', rule: 'live successor' },
  'pointer adopted unasked': { seed: '83', rule: 'live successor' },
  'joins behind anybody': { seed: '24', rule: 'base skipped' },
  'newcomer forgets whom it came through': { seed: '3', rule: 'base skipped' },
  'list not cut at ourselves': { seed: '1', rule: 'orderly list' },
  'list grows without end': { seed: '1', rule: 'short list' },
  'list always whole': { seed: '1', rule: 'base skipped' },
  'list of the successor alone': { seed: '1', rule: 'liveness' },
  'padded with duplicates': { seed: '1', rule: 'orderly list' },
  'dead successor put last': { seed: '1', rule: 'orderly list' },
  'list dropped with the dead': { seed: '1', rule: 'live successor' },
  'second successor dropped with the dead': { seed: '1', rule: 'base skipped' },
  'nobody comes between': { seed: '1', rule: 'liveness' },
  'between, the wrong way round': { seed: '1', rule: 'liveness' },
  'rectify without ping': { seed: '8', rule: 'one owner' },
  'any predecessor is nearer': { seed: '8', rule: 'one owner' },
  'no predecessor is nearer': { seed: '1', rule: 'liveness' },
  'dead predecessor stays': { seed: '1', rule: 'liveness' },
  'successor is not told': { seed: '1', rule: 'liveness' },
  'owns without consent': { seed: '2', rule: 'one owner' },
  'takes over at once': { seed: '80', rule: 'one owner' },
}

async function violationOf(run: Promise<unknown>): Promise<RingViolation | undefined> {
  try {
    await run
    return undefined
  } catch (error) {
    if (error instanceof RingViolation) return error
    throw error
  }
}

describe('the checkers', () => {
  test('know each mutant', () => {
    assert.deepEqual(Object.keys(deaths).sort(), ['as published in 2001', ...Object.keys(mutants)].sort())
    assert.ok(Object.keys(mutants).length >= 12)
  })

  test.each(Object.entries(deaths))('find "%s"', async (name, { seed, rule }) => {
    const rules = name === 'as published in 2001' ? rulesOf2001 : rulesOf(name)
    assert.equal((await violationOf(runCalmCampaign({ seed, rules })))?.rule, rule)
  })

  test.each([...new Set(Object.values(deaths).map(({ seed }) => seed))])(
    'find nothing at seed %s without a mistake',
    async (seed) => {
      assert.equal(await violationOf(runCalmCampaign({ seed })), undefined)
    },
  )
})
