// Visit interval: after how long a page is worth another request.
//
// A change of a page that is visited every τ is seen τ/2 later on average, and the square of that delay is τ²/3. Over all changes of
// all pages it is least, for so many requests, when every page is visited just when the gain of one more request, 2λτ³/3 for a page of
// rate λ, has reached one and the same level (by a Lagrange multiplier): so pages are visited as often as the cube root of their rates.
//
// Why not the share of time for which copies are fresh (Cho and Garcia-Molina, "Effective page refresh policies"): its gain ends at
// 1/λ, so pages that change faster than they can be visited are given up, and most changes are theirs. Why not the mean delay, as
// often as the square root: its requests go to the fastest, and one change in a hundred is seen later than by asking all in turn.
// The rate is not known, so the gain is that to be expected under what is believed of it.

import { rateCount, ratesPerMs } from './change-rates.ts'

/** To a tenth of a percent: chance moves visits by far more. */
const halvings = 14

export function meanRatePerMs(belief: readonly number[]): number {
  let ratePerMs = 0
  for (let index = 0; index < rateCount; index++) ratePerMs += belief[index]! * ratesPerMs[index]!
  return ratePerMs
}

/** The expected gain of visits at this interval, as its square root: so a level is a time, like intervals. */
export function gainOfRate(ratePerMs: number, intervalMs: number): number {
  return Math.sqrt((2 * ratePerMs * intervalMs ** 3) / 3)
}

export interface IntervalBounds {
  /** Never more often: `minMs`. Never less often, whatever it gains: `maxMs`. */
  readonly minMs: number
  readonly maxMs: number
}

/** The interval at which the gain reaches the level, within bounds. The gain only rises with the interval. */
export function intervalMsFor(belief: readonly number[], levelMs: number, bounds: IntervalBounds): number {
  const ratePerMs = meanRatePerMs(belief)
  let [low, high] = [bounds.minMs, bounds.maxMs]
  if (gainOfRate(ratePerMs, high) <= levelMs) return high
  if (gainOfRate(ratePerMs, low) >= levelMs) return low
  for (let halving = 0; halving < halvings; halving++) {
    // By ratios: bounds are minutes and years.
    const middle = Math.sqrt(low * high)
    if (gainOfRate(ratePerMs, middle) < levelMs) low = middle
    else high = middle
  }
  return high
}
