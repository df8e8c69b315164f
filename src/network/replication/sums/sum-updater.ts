// Keeps the nodes true to the entries.
//
// Invariants, after every change:
// - the tallies of a level add up to that of all entries, each entry in the piece that it lies in;
// - where a piece begins, pieces of all finer levels begin, but for what lies before the first bound of a level;
// - a node without entries is there only while a coarser one begins at the same bound;
// - no piece has more than countMax entries.

import type { CoveredRoster } from './covered-roster.ts'
import { areSameBounds, isBefore, lowestBound } from './key-range.ts'
import { countMax, levelOf, levels } from './levels.ts'
import { RememberedBounds } from './remembered-bounds.ts'
import type { RosterEntry } from './roster.ts'
import type { SumNode, SumNodes } from './sum-nodes.ts'
import { Tally } from './tally.ts'

export interface EntryChange extends RosterEntry {
  readonly kind: 'add' | 'remove'
}

interface Crowd {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
}

export class SumUpdater {
  readonly #nodes: SumNodes
  readonly #bounds: RememberedBounds
  readonly #roster: CoveredRoster

  constructor(nodes: SumNodes, roster: CoveredRoster) {
    this.#nodes = nodes
    this.#bounds = new RememberedBounds(nodes)
    this.#roster = roster
  }

  /** The roster is as it is after all of these. Each node that they touch is written once, those that are divided again. */
  apply(changes: readonly EntryChange[]): void {
    this.#bounds.begin()
    const sorted = changes.toSorted((one, other) => Buffer.compare(one.key, other.key))
    // From the coarsest: whether an empty node may go depends on the coarser one.
    const crowds: Crowd[][] = []
    for (let level = levels; level >= 1; level--) crowds[level] = this.#count(level, sorted)
    // From the last: each new piece then ends where the one before it began, and its entries are read once.
    for (const { kind, key, id } of sorted.toReversed()) if (kind === 'add') this.#begin(levelOf(id), key)
    for (let level = 1; level <= levels; level++) {
      for (const crowd of crowds[level]!) this.#disperse(level, crowd)
    }
    this.#bounds.end()
  }

  /** Forgets all nodes, up to so many at once. True when none is left. */
  clear(nodesMax: number): boolean {
    this.#bounds.begin()
    this.#bounds.noteCleared()
    this.#bounds.end()
    return this.#nodes.clear(nodesMax)
  }

  /** Which pieces have too many entries now? */
  #count(level: number, sorted: readonly EntryChange[]): Crowd[] {
    const crowds: Crowd[] = []
    let ahead = this.#aheadOf(level, sorted[0])
    for (let index = 0; ahead !== undefined; ) {
      const node = ahead
      const { key } = sorted[index]!
      countChange(node.tally, sorted[index++]!)
      ahead = this.#aheadOf(level, sorted[index])
      // Changes of one piece come together, as when it is covered: where it ends is worth finding only then.
      if (ahead !== undefined && areSameBounds(ahead.bound, node.bound)) {
        const to = this.#bounds.behind(level, key)
        while (index < sorted.length && isBefore(sorted[index]!.key, to))
          countChange(node.tally, sorted[index++]!)
        ahead = this.#aheadOf(level, sorted[index])
      }
      this.#keep(level, node)
      if (node.tally.count > countMax(level)) {
        crowds.push({ from: node.bound, to: this.#bounds.behind(level, key) })
      }
    }
    return crowds
  }

  #aheadOf(level: number, change: EntryChange | undefined): SumNode | undefined {
    if (change === undefined) return undefined
    return this.#bounds.around(level, change.key) ?? { bound: lowestBound, tally: new Tally() }
  }

  #put(level: number, node: SumNode): void {
    this.#nodes.put(level, node)
    this.#bounds.notePut(level, node.bound)
  }

  /** Writes the node, or removes it where nothing needs it. */
  #keep(level: number, node: SumNode): void {
    if (!node.tally.isEmpty || this.#isNeeded(level, node.bound)) {
      this.#put(level, node)
      return
    }
    this.#nodes.remove(level, node.bound)
    this.#bounds.noteRemoved(level, node.bound)
    // Finer ones that are empty were kept for this one.
    if (level > 1 && this.#nodes.at(level - 1, node.bound)?.isEmpty) {
      this.#keep(level - 1, { bound: node.bound, tally: new Tally() })
    }
  }

  #isNeeded(level: number, bound: Uint8Array): boolean {
    return level < levels && this.#nodes.at(level + 1, bound) !== undefined
  }

  /** A piece of each level up to `coarsest` is to begin here. */
  #begin(coarsest: number, key: Uint8Array): void {
    for (let level = 1; level <= coarsest; level++) {
      const node = this.#bounds.around(level, key)
      // An entry that came and went again in one change begins nothing.
      if (node === undefined) return
      if (areSameBounds(node.bound, key)) continue
      const to = this.#bounds.behind(level, key)
      const tally = this.#tally(level, key, to)
      if (tally.isEmpty) return
      this.#put(level, { bound: key, tally })
      node.tally.part(tally)
      this.#keep(level, node)
    }
  }

  /** Divides what has too many entries within these bounds, which are bounds of this level. */
  #disperse(level: number, { from, to }: Crowd): void {
    for (const node of [...this.#nodes.within(level, from, to)]) {
      if (node.tally.count <= countMax(level)) continue
      const end = this.#bounds.behind(level, node.bound)
      for (const part of this.#divided(level, node.bound, end)) this.#put(level, part)
    }
  }

  #divided(level: number, from: Uint8Array, to: Uint8Array | undefined): SumNode[] {
    const parts: SumNode[] = [{ bound: from, tally: new Tally() }]
    for (const { bound, tally } of this.#finer(level, from, to)) {
      if (tally.isEmpty) continue
      const last = parts.at(-1)!
      if (last.tally.isEmpty || last.tally.count + tally.count <= countMax(level) / 2) last.tally.join(tally)
      else parts.push({ bound, tally })
    }
    return parts
  }

  #tally(level: number, from: Uint8Array, to: Uint8Array | undefined): Tally {
    const tally = new Tally()
    for (const finer of this.#finer(level, from, to)) tally.join(finer.tally)
    return tally
  }

  /** What a piece of this level is made of. */
  *#finer(level: number, from: Uint8Array, to: Uint8Array | undefined): Iterable<SumNode> {
    if (level > 1) yield* this.#nodes.within(level - 1, from, to)
    else {
      for (const { key, id } of this.#roster.entries(from, to)) {
        yield { bound: key, tally: new Tally().addEntry(id) }
      }
    }
  }
}

function countChange(tally: Tally, { kind, id }: EntryChange): void {
  if (kind === 'add') tally.addEntry(id)
  else tally.removeEntry(id)
}
