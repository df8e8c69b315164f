// Link matrix: who links to whom, by number, packed so that one pass over it in order is one iteration of PageRank.
//
// By target (compressed sparse columns): `sources[starts[row] .. starts[row + 1]]` are the pages that link to the row, ascending. So
// an iteration reads sources in order and writes each sum once; only the values of the sources are read here and there, and those of
// one target ascend. Rows may be more than pages: those of other peers' pages follow our own (part-links.ts).
//
// A link that is there several times counts as often.

import assert from 'node:assert/strict'

export interface LinkMatrix {
  /** Pages that link: numbers below this. */
  readonly pages: number
  readonly rows: number
  readonly starts: Uint32Array
  readonly sources: Uint32Array
  /** Of each page: how many links it has. */
  readonly degrees: Uint32Array
}

/** `from[i]` links to `to[i]`, `count` times i. */
export function linkMatrix(
  { pages, rows = pages }: { pages: number; rows?: number },
  from: Uint32Array,
  to: Uint32Array,
  count = from.length,
): LinkMatrix {
  assert(rows >= pages && to.length >= count && from.length >= count)
  const degrees = new Uint32Array(pages)
  const starts = new Uint32Array(rows + 1)
  for (let link = 0; link < count; link++) {
    degrees[from[link]!]!++
    starts[to[link]! + 1]!++
  }
  for (let row = 0; row < rows; row++) starts[row + 1]! += starts[row]!
  const sources = bySource(degrees, from, to, count, starts)
  return { pages, rows, starts, sources, degrees }
}

/** Links are put in the order of their sources first, so that those of each target ascend. */
function bySource(
  degrees: Uint32Array,
  from: Uint32Array,
  to: Uint32Array,
  count: number,
  starts: Uint32Array,
): Uint32Array {
  const [orderedFrom, orderedTo] = isAscending(from, count) ? [from, to] : ordered(degrees, from, to, count)
  const next = starts.slice(0, -1)
  const sources = new Uint32Array(count)
  for (let link = 0; link < count; link++) sources[next[orderedTo[link]!]!++] = orderedFrom[link]!
  return sources
}

function ordered(
  degrees: Uint32Array,
  from: Uint32Array,
  to: Uint32Array,
  count: number,
): [Uint32Array, Uint32Array] {
  const next = new Uint32Array(degrees.length)
  for (let page = 1; page < next.length; page++) next[page] = next[page - 1]! + degrees[page - 1]!
  const orderedFrom = new Uint32Array(count)
  const orderedTo = new Uint32Array(count)
  for (let link = 0; link < count; link++) {
    const place = next[from[link]!]!++
    orderedFrom[place] = from[link]!
    orderedTo[place] = to[link]!
  }
  return [orderedFrom, orderedTo]
}

function isAscending(numbers: Uint32Array, count: number): boolean {
  for (let at = 1; at < count; at++) if (numbers[at]! < numbers[at - 1]!) return false
  return true
}
