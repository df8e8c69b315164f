// A cache that forgets what was used least recently: as soon as it holds more values, or more bytes of them, than it may.

/** Larger values are not kept: one of them would push out everything else. */
const entryShareMax = 1 / 8

interface LruLimits<Value> {
  /** So many values at most. */
  readonly max?: number
  /** So many bytes at most, as `sizeOf` tells of a value when it is set. */
  readonly bytesMax?: number
  sizeOf?(value: Value): number
}

/** A value's place between those that were used before and after it. */
interface Entry<Key, Value> {
  readonly key: Key
  readonly value: Value
  readonly bytes: number
  older: Entry<Key, Value> | undefined
  newer: Entry<Key, Value> | undefined
}

export class LruCache<Key, Value> {
  readonly #max: number
  readonly #bytesMax: number
  readonly #sizeOf: (value: Value) => number
  /** The order is kept beside it: to take a key out and put it in again costs more than all else in a use. */
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  #oldest: Entry<Key, Value> | undefined
  #newest: Entry<Key, Value> | undefined
  #bytes = 0

  constructor({ max, bytesMax, sizeOf }: LruLimits<Value>) {
    this.#max = max ?? Number.POSITIVE_INFINITY
    this.#bytesMax = bytesMax ?? Number.POSITIVE_INFINITY
    this.#sizeOf = sizeOf ?? (() => 0)
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#linkNewest(entry)
    }
    return entry.value
  }

  /** That does not count as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** Neither does that. */
  has(key: Key): boolean {
    return this.#entries.has(key)
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    const bytes = this.#sizeOf(value)
    if (bytes > this.#bytesMax * entryShareMax) return
    const entry: Entry<Key, Value> = { key, value, bytes, older: undefined, newer: undefined }
    this.#entries.set(key, entry)
    this.#linkNewest(entry)
    this.#bytes += bytes
    while (this.#entries.size > this.#max || this.#bytes > this.#bytesMax) this.delete(this.#oldest!.key)
  }

  delete(key: Key): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#unlink(entry)
    this.#bytes -= entry.bytes
    return this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#oldest = undefined
    this.#newest = undefined
    this.#bytes = 0
  }

  values(): Value[] {
    return this.entries().map(([, value]) => value)
  }

  /** As it is now, the least recently used first: what is used meanwhile changes its place. */
  entries(): [Key, Value][] {
    const entries: [Key, Value][] = []
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer)
      entries.push([entry.key, entry.value])
    return entries
  }

  #linkNewest(entry: Entry<Key, Value>): void {
    entry.older = this.#newest
    if (this.#newest === undefined) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink(entry: Entry<Key, Value>): void {
    const { older, newer } = entry
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
    entry.older = undefined
    entry.newer = undefined
  }
}
