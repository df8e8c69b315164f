// Reads the sums: of any range, and how a range may be split into parts of about the same size.
//
// A bound that lies within a piece is moved to where the next piece begins, and the entries between the two are counted
// one by one. Others' bounds come from pieces that begin at the same entries as ours, so mostly there are none.

import type { CoveredRoster } from './covered-roster.ts'
import { areSameBounds, isBefore, type KeyRange, separator } from './key-range.ts'
import { levels, typicalCount } from './levels.ts'
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

/** A range is split along at most about so many pieces: fewer make parts of unequal size, more cost time. */
const segmentsTypical = 1_024
/** With fewer entries than this it is split between entries: pieces would be few. */
const entriesToSplit = 256

export class SumReading {
  readonly #nodes: SumNodes
  readonly #roster: CoveredRoster

  constructor(nodes: SumNodes, roster: CoveredRoster) {
    this.#nodes = nodes
    this.#roster = roster
  }

  sumOf({ from, to }: KeyRange): Tally {
    if (!isBefore(from, to)) return new Tally()
    const first = this.#nodes.firstBound(1, from)
    const last = to === undefined ? undefined : this.#nodes.firstBound(1, to)
    if (areSameBounds(first, last)) return this.#roster.tally(from, to)
    const tally = this.#sumOfPieces(levels, first!, last)
    tally.join(this.#roster.tally(from, first))
    return to === undefined ? tally : tally.part(this.#roster.tally(to, last))
  }

  /** Two parts or more, none empty, at most `partsMax`, that make up the range together: of a range with two entries or more. */
  parts(range: KeyRange, partsMax: number): Part[] {
    const { count } = this.sumOf(range)
    const target = Math.ceil(count / partsMax)
    for (let level = levelToSplit(count); level > 0; level--) {
      const segments = grouped(this.#pieces(level, range), target)
      if (segments.length > 1) return this.#asParts(range, segments)
    }
    return this.#asParts(range, grouped(this.#singles(range), target))
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

  *#singles({ from, to }: KeyRange): Iterable<Segment> {
    for (const { key, id } of this.#roster.entries(from, to)) {
      yield { from: key, tally: new Tally().addEntry(id) }
    }
  }

  #asParts(range: KeyRange, segments: Segment[]): Part[] {
    const bounds = segments.map(({ from }, index) =>
      index === 0 ? range.from : this.#shortened(range.from, from),
    )
    return segments.map(({ tally }, index) => ({
      range: { from: bounds[index]!, to: index + 1 < bounds.length ? bounds[index + 1] : range.to },
      tally,
    }))
  }

  /** As good a bound with as few bytes as our entries allow: it goes over the wire. */
  #shortened(from: Uint8Array, bound: Uint8Array): Uint8Array {
    const before = this.#roster.lastKey(from, bound)
    return before === undefined ? bound : separator(before, bound)
  }
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
