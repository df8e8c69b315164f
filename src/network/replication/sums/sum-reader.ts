// Reads the sums: of any range, and how a range may be split into parts of about the same size.
//
// A bound that lies within a piece is moved to where the next piece begins, and the entries between the two are counted
// one by one. Others' bounds come from pieces that begin at the same entries as ours, so mostly there are none.

import type { CoveredRoster } from './covered-roster.ts'
import { areSameBounds, isBefore, type KeyRange, separator } from './key-range.ts'
import { levels, typicalCount } from './levels.ts'
import type { RosterEntry } from './roster.ts'
import type { SumNodes } from './sum-nodes.ts'
import { Tally } from './tally.ts'

export interface Part {
  readonly range: KeyRange
  readonly tally: Tally
}

interface Segment {
  readonly from: Uint8Array
  readonly tally: Tally
}

/** A bound, and where the first piece begins that does not begin before it. */
interface Edge {
  readonly bound: Uint8Array
  readonly piece: Uint8Array | undefined
  /** What lies between: counted when it is needed. */
  before?: Tally
}

/** A range is split along at most about so many pieces: fewer make parts of unequal size, more cost time. */
const segmentsTypical = 1_024
/** With fewer entries than this it is split between entries: pieces would be few. */
const entriesToSplit = 512
/** Among so many entries there is often a bound that is much shorter, such as between two sites; and the other counts as
 * many one by one, see above. */
const entriesToMove = 16

export class SumReader {
  readonly #nodes: SumNodes
  readonly #roster: CoveredRoster

  constructor(nodes: SumNodes, roster: CoveredRoster) {
    this.#nodes = nodes
    this.#roster = roster
  }

  sumOf(range: KeyRange): Tally {
    return this.sumsOf([range])[0]!
  }

  /** Of ranges of which each begins where the one before it ends. */
  sumsOf(ranges: readonly KeyRange[]): Tally[] {
    let edge: Edge | undefined
    return ranges.map(({ from, to }) => {
      if (!isBefore(from, to)) return new Tally()
      const first = edge ?? this.#edgeAt(from)
      const last = to === undefined ? undefined : this.#edgeAt(to)
      edge = last
      if (areSameBounds(first.piece, last?.piece)) return this.#roster.tally(from, to)
      const tally = this.#sumOfPieces(levels, first.piece!, last?.piece).join(this.#before(first))
      return last === undefined ? tally : tally.part(this.#before(last))
    })
  }

  /** Two parts or more, none empty, at most `partsMax`, that make up the range together: of a range with two entries or more. */
  parts(range: KeyRange, partsMax: number, { count } = this.sumOf(range)): Part[] {
    const target = Math.ceil(count / partsMax)
    for (let level = levelToSplit(count); level > 0; level--) {
      const segments = grouped(this.#pieces(level, range), target)
      if (segments.length > 1) {
        return asParts(range, segments, (from, to) => this.#roster.lastEntries(from, to, entriesToMove + 1))
      }
    }
    return this.#partsBetweenEntries(range, target)
  }

  #partsBetweenEntries(range: KeyRange, target: number): Part[] {
    const entries = [...this.#roster.entries(range.from, range.to)]
    const singles = entries.map(({ key, id }) => ({ from: key, tally: new Tally().addEntry(id) }))
    return asParts(range, grouped(singles, target), (from, to) => {
      const end = entries.findIndex(({ key }) => !isBefore(key, to))
      const before = entries.slice(Math.max(0, end - entriesToMove - 1), end)
      return before.filter(({ key }) => !isBefore(key, from)).reverse()
    })
  }

  #edgeAt(bound: Uint8Array): Edge {
    return { bound, piece: this.#nodes.firstBound(1, bound) }
  }

  #before(edge: Edge): Tally {
    edge.before ??= this.#roster.tally(edge.bound, edge.piece)
    return edge.before
  }

  /** Both bounds are where pieces of level 1 begin. */
  #sumOfPieces(level: number, from: Uint8Array, to: Uint8Array | undefined): Tally {
    const first = level === 1 ? from : this.#nodes.firstBound(level, from)
    if (first === undefined || !isBefore(first, to)) {
      return level === 1 ? new Tally() : this.#sumOfPieces(level - 1, from, to)
    }
    const tally = level === 1 ? new Tally() : this.#sumOfPieces(level - 1, from, first)
    let last: Segment | undefined
    for (const { bound, tally: piece } of this.#nodes.within(level, first, to)) {
      if (last !== undefined) tally.join(last.tally)
      last = { from: bound, tally: piece }
    }
    if (last === undefined) return tally
    const isWhole = level === 1 || to === undefined || this.#nodes.at(level, to) !== undefined
    return tally.join(isWhole ? last.tally : this.#sumOfPieces(level - 1, last.from, to))
  }

  /** The range along the pieces of a level; the first and the last may be cut by its bounds. */
  *#pieces(level: number, { from, to }: KeyRange): Iterable<Segment> {
    const first = this.#nodes.firstBound(level, from)
    const leading = this.sumOf({ from, to: first !== undefined && isBefore(first, to) ? first : to })
    yield { from, tally: leading }
    if (first === undefined || !isBefore(first, to)) return
    let last: Segment | undefined
    for (const { bound, tally } of this.#nodes.within(level, first, to)) {
      if (last !== undefined) yield last
      last = { from: bound, tally }
    }
    if (last === undefined) return
    const isWhole = to === undefined || this.#nodes.at(level, to) !== undefined
    yield isWhole ? last : { from: last.from, tally: this.sumOf({ from: last.from, to }) }
  }
}

/** The last entries between two bounds, from the last. */
type LastEntries = (from: Uint8Array, to: Uint8Array) => Iterable<RosterEntry>

/** Each cut is moved back over a few entries to where its bound has the fewest bytes: it goes over the wire. */
function asParts(range: KeyRange, segments: readonly Segment[], lastEntries: LastEntries): Part[] {
  const bounds = [range.from]
  for (const [index, { from, tally }] of segments.entries()) {
    if (index === 0) continue
    const cut = shortestCut(from, lastEntries(bounds[index - 1]!, from))
    bounds.push(cut.bound)
    tally.join(cut.moved)
    segments[index - 1]!.tally.part(cut.moved)
  }
  return segments.map(({ tally }, index) => ({
    range: { from: bounds[index]!, to: index + 1 < bounds.length ? bounds[index + 1] : range.to },
    tally,
  }))
}

/** At least one of the entries stays before the cut. */
function shortestCut(
  bound: Uint8Array,
  entriesBefore: Iterable<RosterEntry>,
): { bound: Uint8Array; moved: Tally } {
  const moved = new Tally()
  let best: { bound: Uint8Array; moved: Tally } | undefined
  let upper = bound
  for (const { key, id } of entriesBefore) {
    const shortest = separator(key, upper)
    if (best === undefined || shortest.length < best.bound.length) {
      best = { bound: shortest, moved: new Tally().join(moved) }
    }
    moved.addEntry(id)
    upper = key
  }
  return best ?? { bound, moved }
}

/** The finest level on which the range does not have too many pieces. */
function levelToSplit(count: number): number {
  if (count <= entriesToSplit) return 0
  let level = 1
  while (level < levels && count > segmentsTypical * typicalCount(level)) level++
  return level
}

/** Neighbours together until they have `target` entries. */
function grouped(segments: Iterable<Segment>, target: number): Segment[] {
  const groups: Segment[] = []
  let group: Segment | undefined
  for (const { from, tally } of segments) {
    group = group === undefined ? { from, tally } : { from: group.from, tally: group.tally.join(tally) }
    if (group.tally.count < target || group.tally.isEmpty) continue
    groups.push(group)
    group = undefined
  }
  if (group !== undefined && !group.tally.isEmpty) groups.push(group)
  return groups
}
