// Every scenario with seeds that nobody has tried: what the fixed seeds of the campaigns' own tests cannot find.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import { scenarios } from './scenarios.ts'
import { freshSeeds, runSeeds } from './seeds.ts'

/** About half a minute each on an idle machine. */
const seedCounts: Record<string, number> = {
  store: 100,
  recrawl: 2,
  ring: 50,
  archive: 5,
  durability: 1,
  exchange: 50,
  stewards: 50,
  sites: 10,
  hostile: 2,
  'same-second': 10,
}

test('every scenario has its number of fresh seeds', () => {
  assert.deepEqual(Object.keys(seedCounts).sort(), Object.keys(scenarios).sort())
})

test.each(Object.entries(scenarios))('%s', { timeout: 900_000 }, async (name, { run }) => {
  const seeds = freshSeeds(seedCounts[name]!)
  console.log(`${name}: seeds ${seeds[0]} to ${seeds.at(-1)}`)
  await runSeeds(name, seeds, (seed) => run(seed))
})
