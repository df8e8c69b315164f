// Seeds for the tests of campaigns: a failure says with which seed, and how to bring it back.

/** The long run's fresh seeds begin with this number. Variables whose names begin with POLYHISTOR_ are settings: every peer that a test
 * starts would refuse this one. */
export const seedVariable = 'TEST_SEED'

/** Numbers from first to last, as seeds. */
export function seedsFrom(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, count) => String(first + count))
}

/** Seeds that nobody has tried. scripts/test.ts prints where they begin. */
export function freshSeeds(count: number): string[] {
  const first = Number(process.env[seedVariable] ?? Date.now())
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
