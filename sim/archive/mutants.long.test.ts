// Every mistake that is easily made in keeping copies is found by the checker. That it finds nothing at the same seeds where none
// was made is what campaign.test.ts and campaign.long.test.ts show.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type ArchiveRule, ArchiveViolation } from './archive-violation.ts'
import { runArchiveCampaign } from './campaign.ts'
import { mutants } from './mutants.ts'
import type { Mutation } from './mutation.ts'

/** Which promise it breaks, and at which seed that was seen last. Whatever changes the order of messages changes what happens at a
 * seed, so the next ones are tried, too. */
const deaths: Record<string, { seed: string; rule: ArchiveRule }> = {
  'new entries are not spread': { seed: '1', rule: 'acknowledged too early' },
  'acknowledgements are not awaited': { seed: '1', rule: 'acknowledged too early' },
  'repair never begins': { seed: '2', rule: 'not repaired' },
  'comparisons find nothing': { seed: '1', rule: 'not repaired' },
  'half of each arc is not compared': { seed: '1', rule: 'not repaired' },
  'copies are dropped without asking': { seed: '4', rule: 'dropped too early' },
  'the word of the owner counts for all': { seed: '2', rule: 'dropped too early' },
  'leaving hands nothing over': { seed: '6', rule: 'left too early' },
  'who is about to leave is counted on': { seed: '29', rule: 'acknowledged too early' },
  'nothing is flushed': { seed: '1', rule: 'not durable' },
  'takedowns are not told': { seed: '1', rule: 'not taken down' },
  'takedowns are forgotten': { seed: '13', rule: 'not taken down' },
}

const small = { peers: 7, minutes: 3 }
const seedsTried = 40

async function ruleBrokenBy(seed: string, mutation: Mutation): Promise<ArchiveRule | undefined> {
  try {
    await runArchiveCampaign({ seed, ...small, mutation })
    return undefined
  } catch (error) {
    if (error instanceof ArchiveViolation) return error.rule
    throw error
  }
}

/** The promises that are broken at seeds from this one on, until it is the expected one. */
async function rulesBrokenBy(
  mutation: Mutation,
  { seed, rule }: { seed: string; rule: ArchiveRule },
): Promise<Set<ArchiveRule>> {
  const broken = new Set<ArchiveRule>()
  for (let tried = 0; tried < seedsTried && !broken.has(rule); tried++) {
    const found = await ruleBrokenBy(String(Number(seed) + tried), mutation)
    if (found !== undefined) broken.add(found)
  }
  return broken
}

describe('the checker', () => {
  test('knows each mutant', () => {
    assert.deepEqual(Object.keys(deaths).sort(), Object.keys(mutants).sort())
  })

  test.each(Object.entries(deaths))('finds that %s', { timeout: 600_000 }, async (name, death) => {
    const broken = await rulesBrokenBy(mutants[name]!, death)
    assert(broken.has(death.rule), `of ${seedsTried} seeds none is “${death.rule}”, but ${[...broken]}`)
  })
})
