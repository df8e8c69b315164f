// Range sums: how many entries a peer holds in any range of keys, and the sum of their ids, without going through them. Two
// peers with the same sum hold the same; where sums differ, those of the parts tell where (../comparison/).
//
// The entries are the roster's. For every 64 of them, 2^12 and 2^18, on average, there is a node with their tally; so a
// sum takes some hundred reads whatever the range, and a change as many writes as there are levels. The keeper of the
// roster tells of every change, inside the transaction in which it makes it, and of the end of each:
//
//   index.watchChanges(sums)                        // finish and forget
//   index.change(() => { putCapture(…); sums.add(key, id) })
//
// Sums over entries that were there before are made by `cover`, a step at a time, while changes go on; until it is done
// nothing can be asked.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../../errors.ts'
import type { Table } from '../../../platform/storage/key-value.ts'
import { CoveredRoster } from './covered-roster.ts'
import { type KeyRange, nextKey } from './key-range.ts'
import { type Roster, type RosterEntry, rosterKeyBytesMax } from './roster.ts'
import { auditSums, type SumFault } from './sum-audit.ts'
import { SumNodes } from './sum-nodes.ts'
import { type Part, SumReader } from './sum-reader.ts'
import { type EntryChange, SumUpdater } from './sum-updater.ts'
import { idBytes, type Tally } from './tally.ts'

/** Nothing can be said before the sums cover all entries. */
export class SumsIncomplete extends PolyhistorError {
  constructor() {
    super('sums-incomplete', 'This peer is still counting what it holds. Ask again later.', {
      retry: 'later',
    })
  }
}

export class RangeSums {
  readonly #nodes: SumNodes
  readonly #roster: CoveredRoster
  readonly #reading: SumReader
  readonly #changing: SumUpdater
  /** Of the transaction under way. */
  #changes: EntryChange[] = []
  #isCovering = false

  /** The table is for nothing else. */
  constructor(table: Table, roster: Roster) {
    this.#nodes = new SumNodes(table)
    this.#roster = new CoveredRoster(roster, this.#nodes)
    this.#reading = new SumReader(this.#nodes, this.#roster)
    this.#changing = new SumUpdater(this.#nodes, this.#roster)
  }

  /** Inside a transaction that adds the entry, which was not there. The caller must know: an entry that is added twice is
   * counted twice. */
  add(key: Uint8Array, id: Uint8Array): void {
    this.#note({ kind: 'add', key, id })
  }

  /** Inside a transaction that removes the entry, which was there. */
  remove(key: Uint8Array, id: Uint8Array): void {
    this.#note({ kind: 'remove', key, id })
  }

  /** For a transaction of which the caller is the only keeper: all of it, and its end. */
  change<T>(action: () => T): T {
    try {
      const result = action()
      this.finish()
      return result
    } finally {
      this.forget()
    }
  }

  /** The transaction under way is about to end, and the roster as it will be. */
  finish(): void {
    const changes = this.#changes.filter(({ key }) => this.#roster.isCovered(key))
    this.#changes = []
    if (changes.length > 0) this.#changing.apply(changes)
  }

  /** The transaction has ended, one way or the other. */
  forget(): void {
    this.#changes = []
    this.#isCovering = false
  }

  /** Do the sums cover every entry? */
  get isComplete(): boolean {
    return this.#nodes.coveredTo === undefined
  }

  /** Goes on over entries that were there before the sums: over so many of them, in a transaction that changes nothing
   * else. True when all are covered. Where it stopped is kept with the sums. */
  cover(entriesMax: number): boolean {
    this.#startCovering()
    assert(entriesMax > 0)
    const from = this.#nodes.coveredTo
    if (from === undefined) return true
    const isBeginning = from.length === 0
    if (isBeginning && !this.#changing.clear(entriesMax)) return false
    this.#nodes.coveredTo = undefined
    const entries = [...this.#roster.entries(from, undefined, entriesMax)]
    const isDone = entries.length < entriesMax
    this.#nodes.coveredTo = isDone ? undefined : nextKey(entries.at(-1)!.key)
    this.#changing.apply(entries.map(({ key, id }) => ({ kind: 'add', key, id })))
    return isDone
  }

  sumOf(range: KeyRange): Tally {
    this.#checkComplete()
    return this.#reading.sumOf(range)
  }

  /** Of ranges of which each begins where the one before it ends. */
  sumsOf(ranges: readonly KeyRange[]): Tally[] {
    this.#checkComplete()
    return this.#reading.sumsOf(ranges)
  }

  /** Splits a range of two entries or more into two parts or more, at most `partsMax`, of about the same size and none empty.
   * `tally`: that of the range, where it is known. */
  parts(range: KeyRange, partsMax: number, tally?: Tally): Part[] {
    this.#checkComplete()
    return this.#reading.parts(range, partsMax, tally)
  }

  entries({ from, to }: KeyRange, limit?: number): Iterable<RosterEntry> {
    this.#checkComplete()
    return this.#roster.entries(from, to, limit)
  }

  /** Nodes and entries read so far: what answering has cost. */
  get reads(): number {
    return this.#nodes.reads + this.#roster.reads
  }

  /** Goes through all entries and nodes, and gives every node that is not what its entries say: see `restart`. */
  audit(): Iterable<SumFault> {
    return auditSums(this.#nodes, this.#roster)
  }

  /** Nothing is covered any more: `cover` begins from nothing. In a transaction of its own. */
  restart(): void {
    this.#startCovering()
    this.#nodes.uncover()
  }

  #startCovering(): void {
    assert(this.#changes.length === 0, 'sums are made in a transaction of their own')
    this.#isCovering = true
  }

  #note(change: EntryChange): void {
    assert(!this.#isCovering, 'sums are made in a transaction of their own')
    assert.equal(change.id.length, idBytes)
    assert(change.key.length >= 1 && change.key.length <= rosterKeyBytesMax)
    this.#changes.push(change)
  }

  #checkComplete(): void {
    if (!this.isComplete) throw new SumsIncomplete()
  }
}
