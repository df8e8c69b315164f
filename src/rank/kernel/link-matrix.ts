// Link matrix: who links to whom, by number, packed so that one pass over it in order is one iteration of PageRank, and a link costs
// little more in a graph that the cache cannot hold than in one that it can.
//
// An iteration reads links in order; only what their sources give is read here and there. That is fast where it is in the cache and
// where the processor knows what comes next, so:
//
// - pages that link (sources) have numbers of their own, those with many links first: most links read values that lie close together.
//   By classes, each of twice as many links as the next, and within a class in the order of the pages, for neighbours link alike.
// - sources are in blocks whose values fit in the cache, and links in the order of the blocks of their sources
// - within a block targets with equally many links there (a run) follow each other: their loop ends always alike
//
// `links[…]` are sources. Of each run, for each of its targets in order, `linksEach` of them, nearly ascending. A target, that is a row,
// is in at most one run of each block. Rows may be more than pages: those of other peers' pages follow our own (part-links.ts).
//
// A link that is there several times counts as often.

import assert from 'node:assert/strict'
import { groupedByRow, groupedBySource, groupShiftOf, type Links } from './link-groups.ts'

export interface LinkMatrix {
  /** Pages that link: numbers below this. */
  readonly pages: number
  readonly rows: number
  /** Of each source: its page, and how many links it has. */
  readonly sourcePages: Uint32Array
  readonly sourceDegrees: Uint32Array
  readonly runs: readonly Run[]
  /** Rows, in the order of the runs. */
  readonly targets: Uint32Array
  /** Sources, in the order of the runs. */
  readonly links: Uint32Array
}

export interface Run {
  readonly linksEach: number
  /** In `targets`. */
  readonly first: number
  readonly end: number
  /** In `links`. */
  readonly firstLink: number
}

/** How links are laid out. Told by tests alone, so that small graphs are laid out as large ones are. */
interface Layout {
  /** In a block: a power of 2. */
  readonly blockSources: number
  /** So many links of a block are put in place one by one. More are grouped first, for each would wait for memory. */
  readonly scatteredLinksMax: number
}

/**
 * 1 MiB of values, as much as a core's second cache has on the machines that we know. Half as many, or no blocks at all, are slower
 * (bench/results/rank.md).
 */
const blockSourcesMin = 2 ** 17
/** A block is packed in time that grows with the number of rows, too: so many keep that linear. */
const blocksMax = 16
/** They take 16 MiB. */
const scatteredLinksMax = 2 ** 22

/** `from[i]` links to `to[i]`. */
export function linkMatrix(
  { pages, rows = pages }: { pages: number; rows?: number },
  from: Uint32Array,
  to: Uint32Array,
  layout?: Layout,
): LinkMatrix {
  assert(rows >= pages && to.length === from.length)
  const degrees = countsOf(from, pages)
  const sourcePages = byDegree(degrees)
  const sourceDegrees = sourcePages.map((page) => degrees[page]!)
  const { blockSources } = layout ?? { blockSources: blockSourcesOf(sourcePages.length) }
  const shift = Math.min(Math.log2(blockSources), groupShiftOf(sourcePages.length))
  const links = groupedBySource({ from, to }, numbersOf(sourcePages, pages), sourceDegrees, shift)
  const packing = new Packing(rows, from.length, layout?.scatteredLinksMax ?? scatteredLinksMax)
  let end = 0
  for (let source = 0; source < sourcePages.length; source += blockSources) {
    const first = end
    end += sumOf(sourceDegrees.subarray(source, source + blockSources))
    packing.add({ sources: links.sources.subarray(first, end), rows: links.rows.subarray(first, end) })
  }
  return { pages, rows, sourcePages, sourceDegrees, ...packing.packed() }
}

function blockSourcesOf(sources: number): number {
  let block = blockSourcesMin
  while (block * blocksMax < sources) block *= 2
  return block
}

/** Pages that link, by classes. */
function byDegree(degrees: Uint32Array): Uint32Array {
  const pages = new Uint32Array(degrees.length)
  const classes = degrees.map((degree) => Math.clz32(degree))
  const next = startsOf(countsOf(classes, 33))
  for (let page = 0; page < degrees.length; page++) pages[next[classes[page]!]!++] = page
  // Those without links are in the last class.
  return pages.slice(0, next[31])
}

/** Of each page: its number as a source. */
function numbersOf(sourcePages: Uint32Array, pages: number): Uint32Array {
  const numbers = new Uint32Array(pages)
  for (let source = 0; source < sourcePages.length; source++) numbers[sourcePages[source]!] = source
  return numbers
}

/** Blocks, one after the other, into one matrix. */
class Packing {
  readonly #rows: number
  readonly #scatteredLinksMax: number
  readonly #links: Uint32Array
  readonly #targets: Uint32Array[] = []
  readonly #runs: Run[] = []
  #packedTargets = 0
  #packedLinks = 0

  constructor(rows: number, links: number, scatteredLinksMax: number) {
    this.#rows = rows
    this.#scatteredLinksMax = scatteredLinksMax
    this.#links = new Uint32Array(links)
  }

  add(block: Links): void {
    const isLarge = block.rows.length > this.#scatteredLinksMax
    const { sources, rows } = isLarge ? groupedByRow(block, this.#rows) : block
    const places = this.#addRuns(countsOf(rows, this.#rows))
    const links = this.#links
    for (let link = 0; link < rows.length; link++) links[places[rows[link]!]!++] = sources[link]!
    this.#packedLinks += rows.length
  }

  packed(): Pick<LinkMatrix, 'runs' | 'targets' | 'links'> {
    const targets = new Uint32Array(this.#packedTargets)
    let at = 0
    for (const some of this.#targets) {
      targets.set(some, at)
      at += some.length
    }
    return { runs: this.#runs, targets, links: this.#links }
  }

  /** `lengths`: of each row, how many links it has in the block. Returns of each row where its links begin. */
  #addRuns(lengths: Uint32Array): Uint32Array {
    const counts = countsOf(lengths, largestOf(lengths) + 1)
    // Rows without links are in no run.
    counts[0] = 0
    const starts = startsOf(counts)
    const firstLinks = this.#runsOf(counts, starts)
    const targets = new Uint32Array(sumOf(counts))
    const places = new Uint32Array(lengths.length)
    for (let row = 0; row < lengths.length; row++) {
      const length = lengths[row]!
      if (length === 0) continue
      targets[starts[length]!++] = row
      places[row] = firstLinks[length]!
      firstLinks[length]! += length
    }
    this.#targets.push(targets)
    this.#packedTargets += targets.length
    return places
  }

  /** One for each length that there is. Returns by length where its links begin. */
  #runsOf(counts: Uint32Array, starts: Uint32Array): Uint32Array {
    const firstLinks = new Uint32Array(counts.length)
    let firstLink = this.#packedLinks
    for (let linksEach = 1; linksEach < counts.length; linksEach++) {
      firstLinks[linksEach] = firstLink
      const count = counts[linksEach]!
      if (count === 0) continue
      const first = this.#packedTargets + starts[linksEach]!
      this.#runs.push({ linksEach, first, end: first + count, firstLink })
      firstLink += linksEach * count
    }
    return firstLinks
  }
}

function countsOf(numbers: Uint32Array, limit: number): Uint32Array {
  const counts = new Uint32Array(limit)
  for (let at = 0; at < numbers.length; at++) counts[numbers[at]!]!++
  return counts
}

/** Where each begins, when so many of each follow each other. */
function startsOf(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length)
  for (let at = 1; at < counts.length; at++) starts[at] = starts[at - 1]! + counts[at - 1]!
  return starts
}

function sumOf(numbers: Uint32Array): number {
  let sum = 0
  for (let at = 0; at < numbers.length; at++) sum += numbers[at]!
  return sum
}

function largestOf(numbers: Uint32Array): number {
  let largest = 0
  for (let at = 0; at < numbers.length; at++) largest = Math.max(largest, numbers[at]!)
  return largest
}
