// Rank iteration: one step of PageRank on a part of the pages, in three stages, so that other parts' sums can be had in between.
//
//   share()            what each of our pages gives to each page that it links to; returns the ranks of those that link anywhere
//   sum(from, to)      what each row gets from our pages; in slices, so that others have their turn
//   finish(…)          the new ranks, with what others' pages gave; returns how much they differ from those before
//
// The step is x → d·links·x + (1 − d·flowing(x))·t, where t says where a reader begins anew and flowing(x) is what pages with links
// have: for ranks that sum up to 1 that is d·(links·x + dangling(x)·t) + (1 − d)·t, as PageRank is written mostly; ranks that do not
// are brought to that sum at once, where the other form would take as long as d takes to vanish. It shrinks every difference by d
// or more: whatever it starts with, it ends with the same ranks. So a part that moves to another peer, or a graph that has changed a
// little, goes on from whatever is known, and no checkpoint decides the result.
//
// Invariant: sums are those of the current share; ranks change in finish alone.

import assert from 'node:assert/strict'
import type { LinkMatrix } from './link-matrix.ts'

export interface Teleport {
  /** Of each of our pages: how likely a reader begins anew there. All parts together have 1. undefined: all pages alike. */
  readonly shares?: Float64Array | undefined
  /** Of each page, where all are alike. */
  readonly even: number
}

export class RankIteration {
  readonly matrix: LinkMatrix
  readonly ranks: Float64Array
  /** By row. */
  readonly sums: Float64Array
  readonly #damping: number
  readonly #teleport: Teleport
  readonly #given: Float64Array

  /** `ranks` to start with are changed in place. */
  constructor(matrix: LinkMatrix, ranks: Float64Array, damping: number, teleport: Teleport) {
    assert(ranks.length === matrix.pages && damping >= 0 && damping < 1)
    this.matrix = matrix
    this.ranks = ranks
    this.sums = new Float64Array(matrix.rows)
    this.#given = new Float64Array(matrix.pages)
    this.#damping = damping
    this.#teleport = teleport
  }

  share(): number {
    const { ranks } = this
    const { degrees } = this.matrix
    const given = this.#given
    let flowing = 0
    for (let page = 0; page < ranks.length; page++) {
      const degree = degrees[page]!
      const rank = ranks[page]!
      if (degree !== 0) flowing += rank
      given[page] = degree === 0 ? 0 : rank / degree
    }
    return flowing
  }

  /** Of rows from the first on, until so many links are done; returns the row to go on with. */
  sum(first: number, linksMax = Number.POSITIVE_INFINITY): number {
    const { starts, sources, rows } = this.matrix
    const given = this.#given
    const { sums } = this
    const end = starts[first]! + linksMax
    let row = first
    let at = starts[first]!
    for (; row < rows && at < end; row++) {
      const stop = starts[row + 1]!
      let sum = 0
      for (; at < stop; at++) sum += given[sources[at]!]!
      sums[row] = sum
    }
    return row
  }

  /** `flowing`: of all parts. What others gave has been added to the sums of our pages. */
  finish(flowing: number): number {
    const { ranks, sums } = this
    const damping = this.#damping
    const { shares, even } = this.#teleport
    const anew = 1 - damping * flowing
    let difference = 0
    for (let page = 0; page < ranks.length; page++) {
      const rank = damping * sums[page]! + anew * (shares === undefined ? even : shares[page]!)
      difference += Math.abs(rank - ranks[page]!)
      ranks[page] = rank
    }
    return difference
  }
}
