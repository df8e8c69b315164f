// A population of pages that change at known rates, and what the best policy could make of a budget of visits.
//
// What a policy is judged by: how long after a change the next visit comes, over all changes of all pages; as the root of the mean
// square, so that a few that come very late count.

import type { Random } from '../../src/platform/random.ts'

const dayMs = 24 * 3_600_000

export interface Population {
  ratesPerMs: number[]
  budgetPerMs: number
}

export type PopulationKind = 'lognormal' | 'power-law'

/** Rates by a law with a long tail, as measured on the web: most pages change in weeks or months, some in minutes. */
export function population(random: Random, kind: PopulationKind, pages: number): Population {
  const ratesPerMs = Array.from({ length: pages }, () =>
    kind === 'lognormal' ? Math.exp(normal(random) * 2) / (20 * dayMs) : paretoRate(random),
  )
  return { ratesPerMs, budgetPerMs: pages / (5 * dayMs) }
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction())
}

function paretoRate(random: Random): number {
  return Math.min(1 / 3_600_000, (1 - random.fraction()) ** -1.25 / (100 * dayMs))
}

/** Each page visited equally often. */
export function uniformDelayMs({ ratesPerMs, budgetPerMs }: Population): number {
  return delayMs(ratesPerMs, () => ratesPerMs.length / budgetPerMs)
}

/** Each page visited in proportion to its rate. */
export function proportionalDelayMs({ ratesPerMs, budgetPerMs }: Population): number {
  const sum = ratesPerMs.reduce((total, rate) => total + rate, 0)
  return delayMs(ratesPerMs, (rate) => sum / (rate * budgetPerMs))
}

/** The best intervals there are for this budget, rates being known: as often as their cube roots. */
export function optimalDelayMs({ ratesPerMs, budgetPerMs }: Population): number {
  const sum = ratesPerMs.reduce((total, rate) => total + Math.cbrt(rate), 0)
  return delayMs(ratesPerMs, (rate) => sum / (Math.cbrt(rate) * budgetPerMs))
}

/** Of pages visited at regular intervals. */
function delayMs(ratesPerMs: readonly number[], intervalOf: (ratePerMs: number) => number): number {
  let [changes, squares] = [0, 0]
  for (const rate of ratesPerMs) {
    changes += rate
    squares += (rate * intervalOf(rate) ** 2) / 3
  }
  return Math.sqrt(squares / changes)
}
