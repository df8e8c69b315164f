// A map that may be closed while others are still at work: whoever comes later is told so, with the store's own error.
//
// Why: an append, a scrub or a reader may be half-way when the store is closed. It must end, and with an error that its
// caller knows, not with the assertion of a map that nobody may use any more.
// Invariant: a transaction that was begun is committed and can be flushed before the map is closed.

import type { Entry, Ground, KeyValue, Range, Table } from '../../platform/storage/key-value.ts'
import { StoreError } from '../store-error.ts'

export class ClosableMap implements KeyValue {
  readonly #map: KeyValue
  readonly #underWay = new Set<Promise<unknown>>()
  #isClosing = false
  #isClosed = false

  constructor(map: KeyValue) {
    this.#map = map
  }

  table(name: string): Table {
    return new ClosableTable(this.#map.table(name), () => check(this.#isClosed))
  }

  transaction<T>(action: () => T, ground?: Ground): Promise<T> {
    return this.#watched(this.#isClosing, () => this.#map.transaction(action, ground))
  }

  flush(): Promise<void> {
    return this.#watched(this.#isClosed, () => this.#map.flush())
  }

  sizeBytes(): number {
    check(this.#isClosed)
    return this.#map.sizeBytes()
  }

  /** Waits for what has begun, its flush included. */
  async close(): Promise<void> {
    this.#isClosing = true
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
    this.#isClosed = true
    await this.#map.close()
  }

  async #watched<T>(isClosed: boolean, begin: () => Promise<T>): Promise<T> {
    check(isClosed)
    const work = begin()
    this.#underWay.add(work)
    try {
      return await work
    } finally {
      this.#underWay.delete(work)
    }
  }
}

function check(isClosed: boolean): void {
  if (isClosed) throw new StoreError('store-closed', 'The store is closed.')
}

class ClosableTable implements Table {
  readonly #table: Table
  readonly #check: () => void

  constructor(table: Table, check: () => void) {
    this.#table = table
    this.#check = check
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.#check()
    return this.#table.get(key)
  }

  *range(range?: Range): Generator<Entry> {
    this.#check()
    for (const entry of this.#table.range(range)) {
      yield entry
      this.#check()
    }
  }

  // Only inside a transaction, and closing waits for those.
  put(key: Uint8Array, value: Uint8Array): void {
    this.#table.put(key, value)
  }

  remove(key: Uint8Array): boolean {
    return this.#table.remove(key)
  }
}
