// Rank iteration: one step of PageRank on a part of the pages, in three stages, so that other parts' sums can be had in between.
//
//   share()            what each of our pages gives to each page that it links to; returns the ranks of those that link anywhere
//   sum(first, …)      what each row gets from our pages; in slices, so that others have their turn
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
import type { LinkMatrix, Run } from './link-matrix.ts'

export interface Teleport {
  /** Of each of our pages: how likely a reader begins anew there. All parts together have 1. undefined: all pages alike. */
  readonly shares?: Float64Array | undefined
  /** Of each page, where all are alike. */
  readonly even: number
}

/** Many pages have the same rank, and each time that it is added to a large sum the same is rounded off: sums of parts are added. */
const addendsMax = 1_024

export class RankIteration {
  readonly matrix: LinkMatrix
  readonly ranks: Float64Array
  /** By row. */
  readonly sums: Float64Array
  readonly #damping: number
  readonly #teleport: Teleport
  /** By source. */
  readonly #given: Float64Array

  /** `ranks` to start with are changed in place. */
  constructor(matrix: LinkMatrix, ranks: Float64Array, damping: number, teleport: Teleport) {
    assert(ranks.length === matrix.pages && damping >= 0 && damping < 1)
    this.matrix = matrix
    this.ranks = ranks
    this.sums = new Float64Array(matrix.rows)
    this.#given = new Float64Array(matrix.sourcePages.length)
    this.#damping = damping
    this.#teleport = teleport
  }

  share(): number {
    const sources = this.#given.length
    let flowing = 0
    for (let first = 0; first < sources; first += addendsMax)
      flowing += this.#shareOf(first, Math.min(sources, first + addendsMax))
    this.sums.fill(0)
    return flowing
  }

  #shareOf(first: number, end: number): number {
    const { ranks } = this
    const { sourcePages, sourceDegrees } = this.matrix
    const given = this.#given
    let flowing = 0
    for (let source = first; source < end; source++) {
      const rank = ranks[sourcePages[source]!]!
      flowing += rank
      given[source] = rank / sourceDegrees[source]!
    }
    return flowing
  }

  /** For targets from the first on, until so many links are done; returns the target to go on with. */
  sum(first: number, linksMax = Number.POSITIVE_INFINITY): number {
    const { runs } = this.matrix
    let target = first
    let links = linksMax
    let at = runs.findIndex(({ end }) => end > first)
    for (; at >= 0 && at < runs.length && links > 0; at++) {
      const run = runs[at]!
      const count = Math.min(run.end - target, Math.ceil(links / run.linksEach))
      this.#sumRun(run, target, target + count)
      target += count
      links -= count * run.linksEach
    }
    return target
  }

  /** Four targets at once: the processor waits for the memory of all of them together. */
  #sumRun({ linksEach, first, firstLink }: Run, from: number, end: number): void {
    const { targets, links } = this.matrix
    const { sums } = this
    const given = this.#given
    let link = firstLink + linksEach * (from - first)
    let target = from
    const [second, third, fourth] = [linksEach, 2 * linksEach, 3 * linksEach]
    for (; target + 4 <= end; target += 4) {
      let one = 0
      let two = 0
      let three = 0
      let four = 0
      for (const stop = link + linksEach; link < stop; link++) {
        one += given[links[link]!]!
        two += given[links[link + second]!]!
        three += given[links[link + third]!]!
        four += given[links[link + fourth]!]!
      }
      link += fourth
      sums[targets[target]!]! += one
      sums[targets[target + 1]!]! += two
      sums[targets[target + 2]!]! += three
      sums[targets[target + 3]!]! += four
    }
    for (; target < end; target++) {
      let sum = 0
      for (const stop = link + linksEach; link < stop; link++) sum += given[links[link]!]!
      sums[targets[target]!]! += sum
    }
  }

  /** `flowing`: of all parts. What others gave has been added to the sums of our pages. */
  finish(flowing: number): number {
    const { shares, even } = this.#teleport
    const anew = 1 - this.#damping * flowing
    return shares === undefined ? this.#finishEven(anew * even) : this.#finishByShares(anew, shares)
  }

  // Two loops: one that asks at each page which it is takes twice as long.
  #finishEven(anew: number): number {
    const { ranks, sums } = this
    const damping = this.#damping
    let difference = 0
    for (let page = 0; page < ranks.length; page++) {
      const rank = damping * sums[page]! + anew
      difference += Math.abs(rank - ranks[page]!)
      ranks[page] = rank
    }
    return difference
  }

  #finishByShares(anew: number, shares: Float64Array): number {
    const { ranks, sums } = this
    const damping = this.#damping
    let difference = 0
    for (let page = 0; page < ranks.length; page++) {
      const rank = damping * sums[page]! + anew * shares[page]!
      difference += Math.abs(rank - ranks[page]!)
      ranks[page] = rank
    }
    return difference
  }
}
