// PageRank of a graph that one process holds whole.

import type { LinkMatrix } from './link-matrix.ts'
import { RankIteration } from './rank-iteration.ts'

export interface PageRankOptions {
  /** How likely a reader follows a link rather than begins anew. */
  readonly damping?: number
  /** Where readers begin anew, by page, in any proportion; everywhere alike unless told. Readers at a page without links, too. */
  readonly teleport?: Float64Array | undefined
  /** Ranks of before, in any proportion. */
  readonly start?: Float64Array | undefined
  /** Ends when an iteration changes the ranks by no more, all changes summed. */
  readonly tolerance?: number
}

export interface PageRanks {
  /** They sum up to 1. */
  readonly ranks: Float64Array
  readonly iterations: number
  /** By the last iteration. */
  readonly change: number
}

export const dampingDefault = 0.85
/** With damping d a result is off by at most d / (1 − d) of this: 6 · 10⁻¹². */
export const toleranceDefault = 1e-12
/** Every iteration shrinks what is left by d or more: a bound that is met only where the tolerance is below what numbers can tell. */
export const iterationsMax = 1_000

export function pageRank(matrix: LinkMatrix, options: PageRankOptions = {}): PageRanks {
  const { damping = dampingDefault, teleport, start, tolerance = toleranceDefault } = options
  const { pages } = matrix
  if (pages === 0) return { ranks: new Float64Array(), iterations: 0, change: 0 }
  const shares = teleport && scaled(teleport)
  const even = 1 / pages
  const ranks = start ? scaled(start) : (shares?.slice() ?? new Float64Array(pages).fill(even))
  const iteration = new RankIteration(matrix, ranks, damping, { shares, even })
  for (let iterations = 1; ; iterations++) {
    const flowing = iteration.share()
    iteration.sum(0)
    const change = iteration.finish(flowing)
    if (change <= tolerance || iterations === iterationsMax)
      return { ranks: scaled(ranks), iterations, change }
  }
}

/** To a sum of 1. */
function scaled(values: Float64Array): Float64Array {
  const sum = values.reduce((total, value) => total + value, 0)
  return values.map((value) => value / sum)
}
