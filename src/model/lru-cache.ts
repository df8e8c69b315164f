// A cache that forgets what was used least recently: as soon as it holds more values, or more bytes of them, than it may.

/** Larger values are not kept: one of them would push out everything else. */
const entryShareMax = 1 / 8

interface LruLimits<Value> {
  /** So many values at most. */
  readonly max?: number
  /** So many bytes at most, as `sizeOf` tells: it must say the same of a value for as long as that is kept. */
  readonly bytesMax?: number
  sizeOf?(value: Value): number
}

export class LruCache<Key, Value> {
  readonly #max: number
  readonly #bytesMax: number
  readonly #sizeOf: (value: Value) => number
  /** The least recently used first. */
  readonly #values = new Map<Key, Value>()
  #bytes = 0
  /** The last one of them: to use it again changes nothing, and many are used several times in a row. */
  #newest: Key | undefined

  constructor({ max, bytesMax, sizeOf }: LruLimits<Value>) {
    this.#max = max ?? Number.POSITIVE_INFINITY
    this.#bytesMax = bytesMax ?? Number.POSITIVE_INFINITY
    this.#sizeOf = sizeOf ?? (() => 0)
  }

  get size(): number {
    return this.#values.size
  }

  get(key: Key): Value | undefined {
    const value = this.#values.get(key)
    if (value === undefined || key === this.#newest) return value
    this.#values.delete(key)
    this.#values.set(key, value)
    this.#newest = key
    return value
  }

  /** That does not count as a use. */
  peek(key: Key): Value | undefined {
    return this.#values.get(key)
  }

  /** Neither does that. */
  has(key: Key): boolean {
    return this.#values.has(key)
  }

  set(key: Key, value: Value): void {
    this.delete(key)
    const bytes = this.#sizeOf(value)
    if (bytes > this.#bytesMax * entryShareMax) return
    this.#values.set(key, value)
    this.#newest = key
    this.#bytes += bytes
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#max && this.#bytes <= this.#bytesMax) break
      this.delete(oldest)
    }
  }

  delete(key: Key): boolean {
    const value = this.#values.get(key)
    if (value === undefined) return false
    this.#bytes -= this.#sizeOf(value)
    if (key === this.#newest) this.#newest = undefined
    return this.#values.delete(key)
  }

  clear(): void {
    this.#values.clear()
    this.#newest = undefined
    this.#bytes = 0
  }

  values(): Value[] {
    return [...this.#values.values()]
  }

  /** As it is now, the least recently used first: what is used meanwhile changes its place. */
  entries(): [Key, Value][] {
    return [...this.#values]
  }
}
