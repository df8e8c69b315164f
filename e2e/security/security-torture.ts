// `npm run torture -- security [NAME…] [--short] [--each] [--write]`: every attack with its full numbers, or those whose
// names contain one of these words.

import { runAttacks } from './attack-run.ts'
import { attacks } from './attacks.ts'

export interface SecurityWords {
  readonly names: readonly string[]
  readonly isShort: boolean
  readonly restartsEach: boolean
  readonly seed: string
}

/** Gives the exit code. */
export async function attackFromCommandLine({
  names,
  isShort,
  restartsEach,
  seed,
}: SecurityWords): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const chosen = attacks.filter(({ name }) => names.length === 0 || names.some((word) => name.includes(word)))
  const tell = (sentence: string): void =>
    console.log(`${new Date().toISOString().slice(11, 19)} ${sentence}`)
  const size = isShort ? 'short' : 'full'
  const { outcomes, shortcomings } = await runAttacks({ attacks: chosen, size, seed, restartsEach, tell })
  const broke = outcomes.filter(({ harm }) => harm.length > 0)
  for (const sentence of shortcomings) console.log(`FAILED at the end: ${sentence}`)
  console.log(`${outcomes.length} attacks: ${outcomes.length - broke.length} held, ${broke.length} broke it`)
  return broke.length + shortcomings.length === 0 ? 0 : 1
}
