// What the rounds of two contenders that took turns say together: this tree's figure divided by an earlier commit's.
//
// The median of the rounds' ratios decides. Both of a round meet the same machine, and a round that was disturbed moves the median
// by one place, however far off it is; it would spoil a mean. The geometric mean is told as well: where the two are apart, the
// machine was not quiet, or there is something that happens only now and then.

import { median } from './measure.ts'

export interface Pair {
  readonly before: number
  readonly now: number
}

export interface Comparison {
  /** Medians. */
  readonly before: number
  readonly now: number
  /** The median of the rounds' ratios, and where it lies with 95 % confidence. */
  readonly ratio: number
  readonly low: number
  readonly high: number
  readonly geometricMean: number
}

export const comparisonHeader = ['now / before', '95 % interval', 'geometric mean'] as const

export function compared(pairs: readonly Pair[]): Comparison {
  const ratios = pairs.map(({ before, now }) => now / before).sort((a, b) => a - b)
  const outside = ratiosOutside(ratios.length)
  return {
    before: median(pairs.map(({ before }) => before)),
    now: median(pairs.map(({ now }) => now)),
    ratio: median(ratios),
    low: ratios[outside]!,
    high: ratios.at(-1 - outside)!,
    geometricMean: Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length),
  }
}

/** Under the columns of `comparisonHeader`. */
export function comparisonCells({ ratio, low, high, geometricMean }: Comparison): string[] {
  return [ratio.toFixed(3), `${low.toFixed(3)} to ${high.toFixed(3)}`, geometricMean.toFixed(3)]
}

/** How many ratios the interval leaves out at each end: the true median lies below the lowest `k` of them as seldom as fewer than
 * `k` of so many coins show heads. Below six rounds none is left out, and the interval is less sure than 95 %. */
function ratiosOutside(count: number): number {
  let outside = 0
  let ways = 1
  for (let sum = 1; (2 * sum) / 2 ** count <= 0.05; sum += ways) {
    outside++
    ways = (ways * (count - outside + 1)) / outside
  }
  return Math.max(0, outside - 1)
}
