// Seeds for the tests of campaigns: a failure says with which seed, and how to bring it back.

import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The long run's fresh seeds begin with this number. Variables whose names begin with POLYHISTOR_ are settings: every peer that a test
 * starts would refuse this one. */
export const seedVariable = 'TEST_SEED'

/** Numbers from first to last, as seeds. */
export function seedsFrom(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, count) => String(first + count))
}

/** Changes with every change of the code: each version is tried with seeds that no other was tried with, and always with the same
 * ones. Seeds by the clock would refuse a commit on one machine that passed on another. */
export function seedOfCode(): number {
  const root = join(import.meta.dirname, '..')
  const digest = createHash('sha256')
  for (const file of globSync('{src,sim}/**/*.ts', { cwd: root }).sort())
    digest.update(`${file}\0`).update(readFileSync(join(root, file)))
  return digest.digest().readUIntBE(0, 5)
}

/** Seeds that nobody has tried on other code. scripts/test.ts prints where they begin. */
export function freshSeeds(count: number): string[] {
  const first = Number(process.env[seedVariable] ?? seedOfCode())
  return seedsFrom(first, first + count - 1)
}

/** Runs one campaign for each seed, and gives what they gave. `again`: the words after `npm run sim --`, without the seed. */
export async function runSeeds<T>(
  again: string,
  seeds: readonly string[],
  run: (seed: string) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (const seed of seeds) {
    try {
      results.push(await run(seed))
    } catch (error) {
      throw new Error(`Seed ${seed} fails. Again: npm run sim -- ${again} --seed ${seed}`, { cause: error })
    }
  }
  return results
}
