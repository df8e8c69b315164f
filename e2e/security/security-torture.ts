// `npm run torture -- security [WORD…] [--short] [--each] [--write]`: every attack with its full numbers, or those whose
// names contain one of these words.

import { runAttacks } from './attack-run.ts'
import { rowsOf, writeTable } from './attack-table.ts'
import { attacks } from './attacks.ts'

export interface SecurityWords {
  readonly words: readonly string[]
  /** The numbers of the tests. */
  readonly isShort: boolean
  /** Every honest peer is started again after each attack. */
  readonly restartsEach: boolean
  /** The table of docs/security.md is written anew. */
  readonly writes: boolean
  readonly seed: string
}

/** Gives the exit code. */
export async function attackFromCommandLine(given: SecurityWords): Promise<number> {
  const { words, isShort, restartsEach, writes, seed } = given
  if (writes && words.length > 0) throw new Error('The table is written of all attacks, not of some')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const chosen = attacks.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
  const tell = (sentence: string): void =>
    console.log(`${new Date().toISOString().slice(11, 19)} ${sentence}`)
  const plan = { size: isShort ? 'short' : 'full', seed, restartsEach, tell } as const
  const { outcomes, shortcomings } = await runAttacks({ ...plan, attacks: chosen })
  for (const sentence of shortcomings) console.log(`FAILED at the end: ${sentence}`)
  const broke = outcomes.filter(({ harm }) => harm.length > 0)
  for (const { name, harm } of broke) console.log(`FAILED ${name}: ${harm.join('; ').slice(0, 2_000)}`)
  console.log(`${outcomes.length} attacks: ${outcomes.length - broke.length} held, ${broke.length} did harm`)
  if (writes) await writeTable(rowsOf(attacks, outcomes))
  return broke.length + shortcomings.length === 0 ? 0 : 1
}
