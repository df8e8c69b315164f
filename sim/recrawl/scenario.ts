import assert from 'node:assert/strict'
import { simulatedWorld } from '../../src/platform/simulated/world.ts'
import type { Scenario } from '../scenario.ts'
import { learnedDelay } from './learning.ts'
import { optimalDelayMs, population, proportionalDelayMs, uniformDelayMs } from './population.ts'

const ratioMax = 1.1
const hourMs = 3_600_000

/** The same pages and the same number of visits for each policy. */
export function compare(
  seed: string,
  rounds: { learning: number; counted: number },
  pages = 1_000,
): Record<string, number | string> {
  const { random } = simulatedWorld({ seed })
  const kind = random.chance(0.5) ? 'lognormal' : 'power-law'
  const web = population(random, kind, pages)
  const [optimal, uniform] = [optimalDelayMs(web), uniformDelayMs(web)]
  const { delayMs: ours, visits } = learnedDelay(web, random, rounds)
  const told = `${(ours / hourMs).toFixed(1)} hours from a change to a visit`
  assert(
    ours <= ratioMax * optimal,
    `${told} are more than ${ratioMax} times the best policy's ${(optimal / hourMs).toFixed(1)}`,
  )
  assert(ours < uniform, `${told} are no better than ${(uniform / hourMs).toFixed(1)}, visiting all equally`)
  return {
    kind,
    optimal: optimal / hourMs,
    ours: ours / hourMs,
    uniform: uniform / hourMs,
    proportional: proportionalDelayMs(web) / hourMs,
    ratio: ours / optimal,
    visits,
  }
}

export const recrawlScenario: Scenario = {
  promise: `recrawl sees changes at most ${ratioMax} times as late as the best policy that knows all change rates`,
  run: async (seed) => compare(seed, { learning: 30, counted: 60 }),
}
