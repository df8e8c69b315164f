import assert from 'node:assert/strict'
import { simulatedWorld } from '../../src/platform/simulated/world.ts'
import type { Scenario } from '../scenario.ts'
import { learnedFreshness } from './learning.ts'
import { optimalFreshness, population, proportionalFreshness, uniformFreshness } from './population.ts'

const shareMin = 0.95

/** The same pages and the same number of visits for each policy. */
export function compare(
  seed: string,
  rounds: { learning: number; counted: number },
  pages = 1_000,
): Record<string, number | string> {
  const { random } = simulatedWorld({ seed })
  const kind = random.chance(0.5) ? 'lognormal' : 'power-law'
  const web = population(random, kind, pages)
  const optimal = optimalFreshness(web)
  const uniform = uniformFreshness(web)
  const { freshness: ours, visits } = learnedFreshness(web, random, rounds)
  assert(
    ours >= shareMin * optimal,
    `freshness ${ours} is less than ${shareMin} of the optimal policy's ${optimal}`,
  )
  assert(ours > uniform, `freshness ${ours} is no better than ${uniform}, that of visiting all equally`)
  return {
    kind,
    optimal,
    ours,
    uniform,
    proportional: proportionalFreshness(web),
    share: ours / optimal,
    visits,
  }
}

export const recrawlScenario: Scenario = {
  promise: 'recrawl keeps pages at least 0.95 as fresh as the best policy that knows all change rates',
  run: async (seed) => compare(seed, { learning: 30, counted: 60 }),
}
