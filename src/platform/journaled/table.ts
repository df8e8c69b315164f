// A table of a journaled map: changes in memory over the table below.
//
// Three layers, the newer before the older: `active` takes changes, `filing` is being written to the table below. An
// entry in a layer hides those of the same key beneath it; one that was removed is there as `gone`.
// Invariants: readers outside a transaction see `seen`, the state after the last one that counts; an iteration sees the
// layers as they are when it begins, and `filing` hides whatever of it has reached the table below meanwhile.
//
// Nobody else writes to the table below, so one that was empty stays so until something is filed, and is not asked: a look into
// LMDB costs more than all that is in memory, and a new store has nothing there for its first thousands of captures.

import assert from 'node:assert/strict'
import { checkKey, type Entry, type Range, type Table } from '../storage/key-value.ts'
import {
  asBytes,
  asText,
  entriesOf,
  hasEntries,
  OrderedMap,
  type Snapshot,
  valueIn,
} from '../storage/ordered-map.ts'

export const gone = Symbol('gone')
/** A value as text, one character per byte: small arrays of bytes take several times their size in memory. */
type Held = string | typeof gone

/** A change as it was made, with what takes it back. */
export interface Step {
  table: JournaledTable
  key: string
  /** undefined: nothing beneath has the key either. */
  value: Held | undefined
  /** In `active`. */
  before: Held | undefined
  /** By how much it made the table larger. */
  grownBytes: number
}

/** What the tables of a map share. */
export interface TransactionState {
  /** Of the transaction that runs now. */
  steps: Step[] | undefined
  /** Memory that what is not being filed takes, about. */
  heldBytes: number
  /** By how much the changes since the last filing made the tables larger, at most. */
  grownBytes: number
  isClosed: boolean
}

type TextEntry = readonly [key: string, value: Held]

const nothing: readonly Entry[] = []

/** What an entry in memory costs beside its bytes. */
const entryOverheadBytes = 64

export class JournaledTable implements Table {
  readonly name: string
  readonly #below: Table
  readonly #state: TransactionState
  #active = new OrderedMap<Held>()
  #seen: Snapshot<Held> = []
  #filing: Snapshot<Held> = []
  /** undefined: nobody has looked yet. */
  #isBelowEmpty: boolean | undefined

  constructor(name: string, below: Table, state: TransactionState) {
    this.name = name
    this.#below = below
    this.#state = state
  }

  get below(): Table {
    return this.#below
  }

  get isFiling(): boolean {
    return this.#filing.length > 0
  }

  get(key: Uint8Array): Uint8Array | undefined {
    assert(!this.#state.isClosed, 'index is closed')
    checkKey(key)
    const text = asText(key)
    const held = this.#newest(text) ?? valueIn(this.#filing, text)
    if (held === undefined) return this.#hasBelow() ? this.#below.get(key) : undefined
    return held === gone ? undefined : asBytes(held)
  }

  put(key: Uint8Array, value: Uint8Array): void {
    checkKey(key)
    assert(this.#state.steps !== undefined, 'a change outside a transaction')
    // What is beneath is not looked at: at most the table seems larger than it is, until it is measured again.
    this.#change(asText(key), asText(value))
  }

  remove(key: Uint8Array): boolean {
    checkKey(key)
    assert(this.#state.steps !== undefined, 'a change outside a transaction')
    const text = asText(key)
    const beneath = valueIn(this.#filing, text) ?? this.#held(key)
    const now = this.#active.get(text) ?? beneath
    if (now === gone) return false
    this.#change(text, beneath === gone ? undefined : gone, now)
    return true
  }

  range(range: Range = {}): Iterable<Entry> {
    assert(!this.#state.isClosed, 'index is closed')
    if (range.from) checkKey(range.from)
    if (range.to) checkKey(range.to)
    return {
      [Symbol.iterator]: () => (this.#isAllBelow(range) ? this.#rangingBelow(range) : this.#ranging(range)),
    }
  }

  takeBack({ key, before, grownBytes }: Step): void {
    this.#set(key, before)
    this.#state.grownBytes -= grownBytes
  }

  /** From now on readers see what was changed. */
  show(): void {
    this.#seen = this.#active.snapshot()
  }

  /** What the table below does not have, in the order of keys. */
  *unfiled(): Generator<TextEntry> {
    yield* merged(all(this.#active.snapshot()), all(this.#filing), false)
  }

  /** As if it had been changed by a transaction. */
  load(key: string, value: string | undefined): void {
    this.#set(key, value ?? gone)
  }

  /** Lays what was changed aside for the table below, which must have it before it is forgotten here. */
  startFiling(): void {
    assert(!this.isFiling)
    this.#filing = this.#active.snapshot()
    if (this.isFiling) this.#isBelowEmpty = false
    this.#active = new OrderedMap()
    this.#seen = []
  }

  filing(): Iterable<TextEntry> {
    return all(this.#filing)
  }

  forgetFiling(): void {
    this.#filing = []
  }

  /** Of the table below. */
  #held(key: Uint8Array): Held {
    const value = this.#hasBelow() ? this.#below.get(key) : undefined
    return value === undefined ? gone : asText(value)
  }

  #hasBelow(): boolean {
    if (this.#isBelowEmpty === undefined) {
      const [first] = this.#below.range({ limit: 1 })
      this.#isBelowEmpty = first === undefined
    }
    return !this.#isBelowEmpty
  }

  #newest(key: string): Held | undefined {
    return this.#state.steps === undefined ? valueIn(this.#seen, key) : this.#active.get(key)
  }

  /** `was`: what the key had, where more than `active` is known of it. */
  #change(key: string, value: Held | undefined, was?: Held): void {
    const before = this.#set(key, value)
    const grownBytes = sizeBytes(key, value) - sizeBytes(key, was ?? before)
    this.#state.grownBytes += grownBytes
    this.#state.steps!.push({ table: this, key, value, before, grownBytes })
  }

  #set(key: string, value: Held | undefined): Held | undefined {
    const before = value === undefined ? this.#active.remove(key) : this.#active.put(key, value)
    this.#state.heldBytes += heldBytes(key, value) - heldBytes(key, before)
    return before
  }

  /** As most ranges are. */
  #isAllBelow({ from, to }: Range): boolean {
    assert(!this.#state.isClosed, 'index is closed')
    const [start, end] = [from && asText(from), to && asText(to)]
    if (hasEntries(this.#filing, start, end)) return false
    return this.#state.steps === undefined
      ? !hasEntries(this.#seen, start, end)
      : !this.#active.hasEntries(start, end)
  }

  #rangingBelow(range: Range): Iterator<Entry> {
    const entries = this.#hasBelow() ? this.#below.range(range) : nothing
    return this.#state.steps === undefined ? entries[Symbol.iterator]() : this.#ofTransaction(entries)
  }

  *#ofTransaction(entries: Iterable<Entry>): Generator<Entry> {
    const { steps } = this.#state
    for (const entry of entries) {
      assert(steps === this.#state.steps, 'an iteration outlived its transaction')
      yield entry
    }
  }

  *#ranging(range: Range): Generator<Entry> {
    assert(!this.#state.isClosed, 'index is closed')
    const { steps } = this.#state
    const layers = [steps === undefined ? this.#seen : this.#active.snapshot(), this.#filing]
    let left = range.limit ?? Number.POSITIVE_INFINITY
    for (const [key, value] of this.#entries(layers, range)) {
      if (left-- <= 0) return
      assert(!this.#state.isClosed, 'index is closed')
      assert(steps === undefined || steps === this.#state.steps, 'an iteration outlived its transaction')
      yield [key, value]
    }
  }

  *#entries(layers: readonly Snapshot<Held>[], range: Range): Generator<Entry> {
    const { from, to, reverse = false } = range
    const [newer, older] = layers.map((layer) =>
      entriesOf(layer, from && asText(from), to && asText(to), reverse),
    )
    const held = merged(newer!, older!, reverse)
    // Without its limit: what is held may hide any number of those below.
    const { limit: _, ...whole } = range
    const below = this.#hasBelow() ? this.#below.range(whole) : nothing
    for (const [key, value] of merged(held, texts(below), reverse)) {
      if (value !== gone) yield [asBytes(key), asBytes(value)]
    }
  }
}

function* texts(entries: Iterable<Entry>): Generator<TextEntry> {
  for (const [key, value] of entries) yield [asText(key), asText(value)]
}

function all(snapshot: Snapshot<Held>): Generator<TextEntry> {
  return entriesOf(snapshot, undefined, undefined, false)
}

/** Both in their order; of two entries with one key the newer. */
function* merged(
  newer: Generator<TextEntry>,
  older: Generator<TextEntry>,
  isReverse: boolean,
): Generator<TextEntry> {
  try {
    let left = newer.next()
    let right = older.next()
    while (!left.done || !right.done) {
      const order = left.done ? 1 : right.done ? -1 : compare(left.value[0], right.value[0], isReverse)
      yield (order <= 0 ? left.value : right.value) as TextEntry
      if (order <= 0) left = newer.next()
      if (order >= 0) right = older.next()
    }
  } finally {
    newer.return(undefined)
    older.return(undefined)
  }
}

function compare(left: string, right: string, isReverse: boolean): number {
  if (left === right) return 0
  return left < right !== isReverse ? -1 : 1
}

function heldBytes(key: string, value: Held | undefined): number {
  return value === undefined ? 0 : key.length + (value === gone ? 0 : value.length) + entryOverheadBytes
}

function sizeBytes(key: string, value: Held | undefined): number {
  return value === undefined || value === gone ? 0 : key.length + value.length
}
