// Hash generation: a set of 64-bit hashes of fixed size, each with a small number, in flat memory.

/** More than this and searching gets slow. */
const filledMax = 0.6
export const numberMax = 254

export class HashGeneration {
  readonly #countMax: number
  readonly #mask: number
  readonly #words: Uint32Array
  readonly #numbers: Uint8Array
  #count = 0

  /** Takes up to this many. */
  constructor(countMax: number) {
    this.#countMax = countMax
    const slots = 2 ** Math.ceil(Math.log2(countMax / filledMax))
    this.#mask = slots - 1
    this.#words = new Uint32Array(2 * slots)
    // 0 is no entry.
    this.#numbers = new Uint8Array(slots)
  }

  get isFull(): boolean {
    return this.#count >= this.#countMax
  }

  get(high: number, low: number): number | undefined {
    const number = this.#numbers[this.#slotOf(high, low)]!
    return number === 0 ? undefined : number - 1
  }

  /** Keeps the lower number where there is one. */
  put(high: number, low: number, number: number): void {
    const slot = this.#slotOf(high, low)
    const before = this.#numbers[slot]!
    if (before === 0) {
      this.#words[2 * slot] = high
      this.#words[2 * slot + 1] = low
      this.#count++
    }
    const stored = 1 + Math.min(numberMax, number)
    if (before === 0 || stored < before) this.#numbers[slot] = stored
  }

  /** Where it is, or where it would be. */
  #slotOf(high: number, low: number): number {
    let slot = high & this.#mask
    while (this.#numbers[slot] !== 0 && (this.#words[2 * slot] !== high || this.#words[2 * slot + 1] !== low))
      slot = (slot + 1) & this.#mask
    return slot
  }
}
