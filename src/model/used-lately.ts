// What was used lately, by name, in as much memory as is given; the least recently used goes first.

/** Larger ones are not kept: one of them would push out everything else. */
const shareMax = 1 / 8

export class UsedLately<Value> {
  readonly #bytesMax: number
  readonly #sizeOf: (value: Value) => number
  /** The least recently used first. */
  readonly #values = new Map<string, Value>()
  #bytes = 0

  /** `sizeOf` must say the same of a value for as long as it is kept. */
  constructor(bytesMax: number, sizeOf: (value: Value) => number) {
    this.#bytesMax = bytesMax
    this.#sizeOf = sizeOf
  }

  get(name: string): Value | undefined {
    const value = this.#values.get(name)
    if (value === undefined) return undefined
    this.#values.delete(name)
    this.#values.set(name, value)
    return value
  }

  put(name: string, value: Value): void {
    this.remove(name)
    const bytes = this.#sizeOf(value)
    if (bytes > this.#bytesMax * shareMax) return
    this.#values.set(name, value)
    this.#bytes += bytes
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= this.#bytesMax) break
      this.remove(oldest)
    }
  }

  remove(name: string): void {
    const value = this.#values.get(name)
    if (value === undefined) return
    this.#values.delete(name)
    this.#bytes -= this.#sizeOf(value)
  }
}
