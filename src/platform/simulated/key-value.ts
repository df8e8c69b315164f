// Ordered maps in memory on virtual time.
//
// Invariants: as the interface says. A power cut takes back the newest transactions, any number of those since the last
// flush, whole. Stands for LMDB, which cannot run on a simulated disk: so it is a thing of its own beside the disk, with
// nothing in the disk's folders, and its failures are told to it here.

import assert from 'node:assert/strict'
import {
  checkKey,
  type Entry,
  type Ground,
  type KeyValue,
  KeyValueError,
  type KeyValues,
  type OpenOptions,
  type Range,
  type Table,
} from '../storage/key-value.ts'
import { asBytes, asText, EntryCursor, OrderedMap } from '../storage/ordered-map.ts'
import { Life, never } from './life.ts'
import type { SimulatedRandom } from './random.ts'
import type { Simulation } from './simulation.ts'

const commitMs = 0.1
const flushMs = 2
// A real one flushes by itself before long; so does this one, which bounds what it remembers.
const unflushedMax = 10_000
// What an entry costs beside its bytes.
const entryOverheadBytes = 16

interface Change {
  map: OrderedMap
  key: string
  before: Uint8Array | undefined
}

/** What is in one folder: outlives processes. */
class StoredMap {
  readonly tables = new Map<string, OrderedMap>()
  /** Transactions since the last flush, oldest first, each as what takes it back. */
  unflushed: Change[][] = []
  sizeBytes = 0
  committedCount = 0
  isDamaged = false
  openedBy: Life | undefined

  put(map: OrderedMap, key: string, value: Uint8Array | undefined): Uint8Array | undefined {
    const before = value ? map.put(key, value) : map.remove(key)
    this.sizeBytes += entryBytes(key, value) - entryBytes(key, before)
    return before
  }

  takeBack(changes: Change[]): void {
    for (const { map, key, before } of changes.toReversed()) this.put(map, key, before)
  }

  commit(changes: Change[]): void {
    this.committedCount++
    this.unflushed.push(changes)
    if (this.unflushed.length > unflushedMax) this.unflushed.splice(0, unflushedMax >> 1)
  }

  /** Everything up to this transaction is safe. */
  flush(committedCount: number): void {
    const newer = this.committedCount - committedCount
    this.unflushed.splice(0, Math.max(0, this.unflushed.length - newer))
  }

  crash(random: SimulatedRandom): void {
    const lost = random.below(this.unflushed.length + 1)
    for (let count = 0; count < lost; count++) this.takeBack(this.unflushed.pop()!)
    this.unflushed = []
    this.openedBy = undefined
  }
}

/** The maps of one machine. */
export class SimulatedKeyValues {
  readonly #simulation: Simulation
  readonly #random: SimulatedRandom
  readonly #name: string
  readonly #maps = new Map<string, StoredMap>()
  readonly #flushing = new Set<() => void>()
  #powerCuts = 0

  constructor(needs: { simulation: Simulation; random?: SimulatedRandom }, options: { name?: string } = {}) {
    this.#simulation = needs.simulation
    this.#name = options.name ?? 'key-values'
    this.#random = needs.random ?? needs.simulation.random.fork(this.#name)
  }

  /** The maps as one process sees them, until that ends or the power is cut. */
  mount(life: Life = new Life()): KeyValues {
    const powerCuts = this.#powerCuts
    const isDead = (): boolean => life.isOver || this.#powerCuts !== powerCuts
    return { open: (folder, options = {}) => this.#open(folder, options, life, isDead) }
  }

  /** Cuts the power. What was mounted is dead; mount again for what is left. */
  crash(): void {
    this.#simulation.note(this.#name, 'crash', '')
    this.#powerCuts++
    for (const effect of this.#flushing) if (this.#random.chance(0.5)) effect()
    this.#flushing.clear()
    for (const stored of this.#maps.values()) stored.crash(this.#random)
  }

  /** From now on the map in this folder cannot be opened. */
  damage(folder: string): void {
    this.#stored(folder).isDamaged = true
  }

  #open(folder: string, options: OpenOptions, life: Life, isDead: () => boolean): Promise<KeyValue> {
    const stored = this.#stored(folder)
    if (isDead()) return never()
    assert(stored.openedBy === undefined || stored.openedBy.isOver, `the index in ${folder} is open already`)
    stored.openedBy = life
    return this.#later(isDead, flushMs, () => {
      if (stored.isDamaged) {
        stored.openedBy = undefined
        throw new KeyValueError('index-damaged', `The index in ${folder} is damaged, as told.`)
      }
      return new SimulatedKeyValue(stored, options.sizeBytesMax ?? Number.POSITIVE_INFINITY, {
        commitSoon: (commit) => void this.#later(isDead, commitMs, commit),
        flush: () => this.#flush(stored, isDead),
        note: (what, which) => this.#simulation.note(this.#name, what, which),
      })
    })
  }

  #stored(folder: string): StoredMap {
    let stored = this.#maps.get(folder)
    if (stored === undefined) this.#maps.set(folder, (stored = new StoredMap()))
    return stored
  }

  #flush(stored: StoredMap, isDead: () => boolean): Promise<void> {
    const { committedCount } = stored
    const effect = (): void => stored.flush(committedCount)
    this.#flushing.add(effect)
    return this.#later(isDead, flushMs, () => {
      if (this.#flushing.delete(effect)) effect()
    })
  }

  #later<T>(isDead: () => boolean, typicalMs: number, task: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#simulation.schedule(typicalMs * this.#random.between(0.5, 2), () => {
        if (isDead()) return
        try {
          resolve(task())
        } catch (error) {
          reject(error)
        }
      })
    })
  }
}

interface Timing {
  commitSoon(commit: () => void): void
  flush(): Promise<void>
  note(what: string, which: number): void
}

interface State {
  changes: Change[] | undefined
  isClosed: boolean
}

class SimulatedKeyValue implements KeyValue {
  readonly #stored: StoredMap
  readonly #sizeBytesMax: number
  readonly #timing: Timing
  readonly #tables = new Map<string, SimulatedTable>()
  readonly #state: State = { changes: undefined, isClosed: false }
  #queued: (() => void)[] = []
  #nextFlush: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(stored: StoredMap, sizeBytesMax: number, timing: Timing) {
    this.#stored = stored
    this.#sizeBytesMax = sizeBytesMax
    this.#timing = timing
  }

  table(name: string): Table {
    assert(!this.#state.isClosed, 'index is closed')
    let table = this.#tables.get(name)
    if (table === undefined) {
      assert(this.#state.changes === undefined, `table ${name} is first asked for inside a transaction`)
      let map = this.#stored.tables.get(name)
      if (map === undefined) this.#stored.tables.set(name, (map = new OrderedMap()))
      this.#tables.set(name, (table = new SimulatedTable(map, this.#stored, this.#state)))
    }
    return table
  }

  async transaction<T>(action: () => T, ground?: Ground): Promise<T> {
    assert(!this.#state.isClosed && this.#closing === undefined, 'index is closed')
    assert(this.#state.changes === undefined, 'transaction inside a transaction')
    if (ground !== undefined) return this.#onGround(ground, action)
    return new Promise((resolve, reject) => {
      this.#queued.push(() => {
        try {
          resolve(this.#run(action))
        } catch (error) {
          reject(error)
        }
      })
      if (this.#queued.length === 1) this.#timing.commitSoon(() => this.#commitQueued())
    })
  }

  async #onGround<T>(ground: Ground, action: () => T): Promise<T> {
    await ground.sync()
    const result = await this.transaction(action)
    await this.flush()
    return result
  }

  #commitQueued(): void {
    const queued = this.#queued
    this.#queued = []
    for (const commit of queued) commit()
    this.#timing.note('commit', queued.length)
  }

  #run<T>(action: () => T): T {
    const changes: Change[] = []
    const sizeBytes = this.#stored.sizeBytes
    this.#state.changes = changes
    try {
      const result = action()
      assert(!(result instanceof Promise), 'a transaction must not wait')
      if (this.#stored.sizeBytes > sizeBytes && this.#stored.sizeBytes > this.#sizeBytesMax) {
        throw new KeyValueError('index-full', `The index is full: it may have ${this.#sizeBytesMax} bytes.`)
      }
      if (changes.length > 0) this.#stored.commit(changes)
      return result
    } catch (error) {
      this.#stored.takeBack(changes)
      throw error
    } finally {
      this.#state.changes = undefined
    }
  }

  sizeBytes(): number {
    assert(this.#state.changes !== undefined, 'measured outside a transaction')
    return this.#stored.sizeBytes
  }

  flush(): Promise<void> {
    assert(!this.#state.isClosed, 'index is closed')
    // Who asks before anything else happens shares one flush.
    if (this.#nextFlush === undefined) {
      this.#nextFlush = this.#timing.flush()
      queueMicrotask(() => {
        this.#nextFlush = undefined
      })
    }
    return this.#nextFlush
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    if (this.#queued.length > 0) await new Promise<void>((done) => this.#queued.push(done))
    await this.flush()
    this.#state.isClosed = true
    this.#stored.openedBy = undefined
  }
}

class SimulatedTable implements Table {
  readonly #map: OrderedMap
  readonly #stored: StoredMap
  readonly #state: State

  constructor(map: OrderedMap, stored: StoredMap, state: State) {
    this.#map = map
    this.#stored = stored
    this.#state = state
  }

  get(key: Uint8Array): Uint8Array | undefined {
    assert(!this.#state.isClosed, 'index is closed')
    checkKey(key)
    return this.#map.get(asText(key))?.slice()
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#change(key, new Uint8Array(value))
  }

  remove(key: Uint8Array): boolean {
    return this.#change(key, undefined) !== undefined
  }

  #change(key: Uint8Array, value: Uint8Array | undefined): Uint8Array | undefined {
    checkKey(key)
    assert(this.#state.changes !== undefined, 'a change outside a transaction')
    const text = asText(key)
    const before = this.#stored.put(this.#map, text, value)
    this.#state.changes.push({ map: this.#map, key: text, before })
    return before
  }

  range(range: Range = {}): Iterable<Entry> {
    assert(!this.#state.isClosed, 'index is closed')
    if (range.from) checkKey(range.from)
    if (range.to) checkKey(range.to)
    const isOne = range.limit === 1
    return {
      [Symbol.iterator]: () => (isOne ? this.#one(range) : new Ranging(this.#map, this.#state, range)),
    }
  }

  /** The first or last of a range is asked for more often than all else: without a snapshot, which would make changes copy. */
  *#one(range: Range): Generator<Entry> {
    const from = range.from && asText(range.from)
    const to = range.to && asText(range.to)
    const found = this.#map.firstEntry(from, to, range.reverse ?? false)
    if (found !== undefined) yield [asBytes(found[0]), found[1].slice()]
  }
}

/** Over what was there when it began. */
class Ranging implements IterableIterator<Entry> {
  readonly #state: State
  readonly #changes: Change[] | undefined
  readonly #cursor: EntryCursor<Uint8Array>
  #left: number

  constructor(map: OrderedMap, state: State, range: Range) {
    const from = range.from && asText(range.from)
    const to = range.to && asText(range.to)
    this.#state = state
    this.#changes = state.changes
    this.#cursor = new EntryCursor(map.snapshot(), from, to, range.reverse ?? false)
    this.#left = range.limit ?? Number.POSITIVE_INFINITY
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<Entry> {
    if (this.#left-- <= 0 || !this.#cursor.advance()) return { value: undefined, done: true }
    assert(!this.#state.isClosed, 'index is closed')
    assert(
      this.#changes === undefined || this.#changes === this.#state.changes,
      'an iteration outlived its transaction',
    )
    return { value: [asBytes(this.#cursor.key), this.#cursor.value.slice()], done: false }
  }
}

function entryBytes(key: string, value: Uint8Array | undefined): number {
  return value === undefined ? 0 : key.length + value.length + entryOverheadBytes
}
