// A population of pages that change at known rates, and what the best policy could make of a budget of visits.

import { gainOfRate } from '../../src/crawl/recrawl/visit-interval.ts'
import type { Random } from '../../src/platform/random.ts'

const dayMs = 24 * 3_600_000

export interface Population {
  ratesPerMs: number[]
  budgetPerMs: number
}

/** Rates by a law with a long tail, as measured on the web: most pages change in weeks or months, some in minutes. */
export function population(random: Random, kind: 'lognormal' | 'power-law', pages: number): Population {
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

/** The share of time that a page is fresh when visited at a regular interval. */
export function freshness(ratePerMs: number, intervalMs: number): number {
  if (intervalMs === Number.POSITIVE_INFINITY) return 0
  const changes = ratePerMs * intervalMs
  return changes < 1e-9 ? 1 : -Math.expm1(-changes) / changes
}

/** Each page visited equally often. */
export function uniformFreshness({ ratesPerMs, budgetPerMs }: Population): number {
  return mean(ratesPerMs.map((rate) => freshness(rate, ratesPerMs.length / budgetPerMs)))
}

/** Each page visited in proportion to its rate. */
export function proportionalFreshness({ ratesPerMs, budgetPerMs }: Population): number {
  const sum = ratesPerMs.reduce((total, rate) => total + rate, 0)
  return mean(ratesPerMs.map((rate) => freshness(rate, sum / (rate * budgetPerMs))))
}

/** The best intervals there are for this budget, rates being known: the multiplier is found by halving. */
export function optimalFreshness({ ratesPerMs, budgetPerMs }: Population): number {
  let [low, high] = [1, 1e4 * dayMs]
  for (let halving = 0; halving < 80; halving++) {
    const level = Math.sqrt(low * high)
    const spent = ratesPerMs.reduce((sum, rate) => sum + 1 / optimalInterval(rate, level), 0)
    if (spent > budgetPerMs) low = level
    else high = level
  }
  return mean(ratesPerMs.map((rate) => freshness(rate, optimalInterval(rate, high))))
}

function optimalInterval(rate: number, level: number): number {
  if (level * rate >= 1) return Number.POSITIVE_INFINITY
  let [low, high] = [1, 1e6 * dayMs]
  for (let halving = 0; halving < 80; halving++) {
    const middle = Math.sqrt(low * high)
    if (gainOfRate(rate, middle) < level) low = middle
    else high = middle
  }
  return high
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
