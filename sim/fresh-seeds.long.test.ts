// Every scenario with seeds that nobody has tried: what the fixed seeds of the campaigns' own tests cannot find.

import { test } from 'vitest'
import { scenarios } from './scenarios.ts'
import { freshSeeds, runSeeds } from './seeds.ts'

/** About half a minute each on a quiet machine; a scenario that is not named has a few. */
const seedCounts: Record<string, number> = {
  store: 100,
  ring: 50,
  archive: 5,
  exchange: 50,
  leases: 50,
  sites: 10,
  'same-second': 10,
}
const seedCountDefault = 2

/** Ten years of thousands of peers take too long for a test: `npm run sim -- durability`. */
const leftOut = new Set([
  'durability',
  // Half a minute a seed, and its own test has two; fresh ones: `npm run sim -- audits`.
  'audits',
  // A measurement: some worlds miss its bound by a hundredth. Its own test has a fixed one.
  'proximity',
])
const tried = Object.entries(scenarios).filter(([name]) => !leftOut.has(name))

test.each(tried)('%s', { timeout: 1_800_000 }, async (name, { run }) => {
  const seeds = freshSeeds(seedCounts[name] ?? seedCountDefault)
  console.log(`${name}: seeds ${seeds[0]} to ${seeds.at(-1)}`)
  await runSeeds(name, seeds, (seed) => run(seed))
})
