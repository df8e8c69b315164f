// Recent ids: those that were added last, to leave out what comes again. Two sets that take turns: an id costs one entry and is never
// moved, and the older half is forgotten at once.
//
// Invariant: at most so many are remembered, and the last half of so many always are.

export class RecentIds {
  readonly #halfMax: number
  #newer = new Set<string>()
  #older = new Set<string>()

  constructor(max: number) {
    this.#halfMax = Math.ceil(max / 2)
  }

  /** False when it is known. */
  add(id: Uint8Array): boolean {
    const text = Buffer.from(id.buffer, id.byteOffset, id.byteLength).toString('latin1')
    if (this.#newer.has(text) || this.#older.has(text)) return false
    if (this.#newer.size >= this.#halfMax) {
      this.#older = this.#newer
      this.#newer = new Set()
    }
    this.#newer.add(text)
    return true
  }
}
