// Visit interval: after how long a page is worth another request.
//
// A page of rate λ that was last seen τ ago gains (1 − (1 + λτ)·e^(−λτ)) / λ of fresh time per request if it is visited
// at that interval: the derivative of freshness by frequency. Freshness over all pages is greatest, for so many requests,
// when every page is visited just when this gain has reached one and the same level (Cho and Garcia-Molina, "Effective
// page refresh policies", by a Lagrange multiplier). Pages that change too fast never reach it: their requests do more
// good elsewhere. The rate is not known, so the gain is that to be expected under what is believed of it.

import { rateCount, ratesPerMs } from './change-rates.ts'

/** To a tenth of a percent: chance moves visits by far more. */
const halvings = 14

/** The expected gain, in milliseconds of fresh time per request, of visits at this interval. */
export function gainMs(belief: readonly number[], intervalMs: number): number {
  let gain = 0
  for (let index = 0; index < rateCount; index++)
    gain += belief[index]! * gainOfRate(ratesPerMs[index]!, intervalMs)
  return gain
}

export function gainOfRate(ratePerMs: number, intervalMs: number): number {
  const changes = ratePerMs * intervalMs
  // The difference of near equals loses its digits where hardly anything changes.
  if (changes < 1e-4) return (ratePerMs * intervalMs * intervalMs) / 2
  return (1 - (1 + changes) * Math.exp(-changes)) / ratePerMs
}

export interface IntervalBounds {
  /** Never more often: `minMs`. Never less often, whatever it gains: `maxMs`. */
  readonly minMs: number
  readonly maxMs: number
}

/** The interval at which the gain reaches the level, within bounds. The gain only rises with the interval. */
export function intervalMsFor(belief: readonly number[], levelMs: number, bounds: IntervalBounds): number {
  let [low, high] = [bounds.minMs, bounds.maxMs]
  if (gainMs(belief, high) <= levelMs) return high
  if (gainMs(belief, low) >= levelMs) return low
  for (let halving = 0; halving < halvings; halving++) {
    // By ratios: bounds are minutes and years.
    const middle = Math.sqrt(low * high)
    if (gainMs(belief, middle) < levelMs) low = middle
    else high = middle
  }
  return high
}
