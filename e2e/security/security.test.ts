// One hostile member of five tries everything that is known while the others crawl. `npm run torture -- security` does it with
// the full numbers, `npm run security` writes docs/security.md.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runAttacks } from './attack-run.ts'
import { rowsOf, writtenRows } from './attack-table.ts'
import { attacks } from './attacks.ts'

describe('docs/security.md', () => {
  test('tells of exactly the attacks that there are, and that all of them are held', async () => {
    const outcomes = attacks.map(({ name }) => ({ name, harm: [] }))
    assert.deepEqual(await writtenRows(), rowsOf(attacks, outcomes))
  })
})

test('a hostile member ends or freezes nobody, loses and hides nothing, and the crawl is complete', {
  timeout: 3_600_000,
}, async () => {
  const told: string[] = []
  const tell = (sentence: string): void =>
    void told.push(`${new Date().toISOString().slice(11, 19)} ${sentence}`)
  const plan = { attacks, size: 'short', seed: 'security', tell } as const
  const { outcomes, shortcomings } = await runAttacks(plan)
  const broke = outcomes.flatMap(({ name, harm }) => harm.map((sentence) => `${name}: ${sentence}`))
  assert.deepEqual([...broke, ...shortcomings], [], `what happened:\n${told.join('\n')}`)
  assert.equal(outcomes.length, attacks.length)
})
