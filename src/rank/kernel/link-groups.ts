// Link groups: links put in the order of groups of their sources, then of their targets, so that what is done link by link afterwards
// stays within memory that is near.
//
// There are so few groups that the places where they are written to at once fit in the cache. A counting sort by single pages has as
// many places as there are pages: with a million, nearly each write waits for memory, and a link takes three times as long.
//
// Invariant: links of a group stay in their order.

/** A link is a source and a row at the same place. */
export interface Links {
  readonly sources: Uint32Array
  readonly rows: Uint32Array
}

const groupsBits = 8

/** So many numbers to a group that there are few groups: by how far a number is shifted to be that of its group. */
export function groupShiftOf(numbers: number): number {
  return Math.max(0, 32 - Math.clz32(numbers) - groupsBits)
}

/** By groups of sources. `sourceOf`: of each page its number as a source. */
export function groupedBySource(
  { from, to }: { from: Uint32Array; to: Uint32Array },
  sourceOf: Uint32Array,
  sourceDegrees: Uint32Array,
  shift: number,
): Links {
  const next = new Uint32Array((sourceDegrees.length >>> shift) + 2)
  for (let at = 0; at < sourceDegrees.length; at++) next[(at >>> shift) + 1]! += sourceDegrees[at]!
  addUp(next)
  const [sources, rows] = [new Uint32Array(from.length), new Uint32Array(from.length)]
  for (let link = 0; link < from.length; link++) {
    const source = sourceOf[from[link]!]!
    const place = next[source >>> shift]!++
    sources[place] = source
    rows[place] = to[link]!
  }
  return { sources, rows }
}

/** By groups of rows, which are below `limit`. */
export function groupedByRow(links: Links, limit: number): Links {
  const shift = groupShiftOf(limit)
  const count = links.rows.length
  const next = new Uint32Array((limit >>> shift) + 2)
  for (let link = 0; link < count; link++) next[(links.rows[link]! >>> shift) + 1]!++
  addUp(next)
  const [sources, rows] = [new Uint32Array(count), new Uint32Array(count)]
  for (let link = 0; link < count; link++) {
    const row = links.rows[link]!
    const place = next[row >>> shift]!++
    sources[place] = links.sources[link]!
    rows[place] = row
  }
  return { sources, rows }
}

function addUp(counts: Uint32Array): void {
  for (let at = 1; at < counts.length; at++) counts[at]! += counts[at - 1]!
}
