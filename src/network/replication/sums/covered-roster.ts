// The roster as far as the sums cover it: while they are being made for entries that were there before them, those behind
// the walk do not exist yet.

import type { Range } from '../../../platform/storage/key-value.ts'
import { isBefore, isEmptyRange } from './key-range.ts'
import type { Roster, RosterEntry } from './roster.ts'
import type { SumNodes } from './sum-nodes.ts'
import { Tally } from './tally.ts'

export class CoveredRoster {
  readonly #roster: Roster
  readonly #nodes: SumNodes
  #reads = 0

  constructor(roster: Roster, nodes: SumNodes) {
    this.#roster = roster
    this.#nodes = nodes
  }

  /** Entries read so far. */
  get reads(): number {
    return this.#reads
  }

  isCovered(key: Uint8Array): boolean {
    return isBefore(key, this.#nodes.coveredTo)
  }

  *entries(from: Uint8Array, to: Uint8Array | undefined, limit?: number): Iterable<RosterEntry> {
    for (const entry of this.#read({ from, to }, limit === undefined ? {} : { limit })) {
      this.#reads++
      yield entry
    }
  }

  /** The last so many, from the last. */
  *lastEntries(from: Uint8Array, to: Uint8Array, limit: number): Iterable<RosterEntry> {
    for (const entry of this.#read({ from, to }, { reverse: true, limit })) {
      this.#reads++
      yield entry
    }
  }

  tally(from: Uint8Array, to: Uint8Array | undefined): Tally {
    const tally = new Tally()
    for (const { id } of this.#read({ from, to }, {})) {
      this.#reads++
      tally.addEntry(id)
    }
    return tally
  }

  #read(wanted: { from: Uint8Array; to: Uint8Array | undefined }, how: Range): Iterable<RosterEntry> {
    const { coveredTo } = this.#nodes
    const to = wanted.to !== undefined && isBefore(wanted.to, coveredTo) ? wanted.to : coveredTo
    if (isEmptyRange({ from: wanted.from, to })) return []
    // A table takes no empty bound: what is before everything is no bound at all.
    const from = wanted.from.length > 0 ? { from: wanted.from } : {}
    return this.#roster.entries({ ...how, ...from, ...(to && { to }) })
  }
}
