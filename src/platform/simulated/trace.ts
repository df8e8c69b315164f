// What happened in a simulation, as a hash that two runs can compare, and as lines for a person when asked to keep them.
//
// Invariant: the hash depends on every note, its time and its order. Two rolling 32-bit hashes, since one alone would
// meet by chance too often over thousands of seeds.

const linesMax = 1_000_000

export class Trace {
  readonly #lines: string[] | undefined
  readonly #time = new Float64Array(1)
  readonly #timeBits = new Uint32Array(this.#time.buffer)
  #first = 0x811c9dc5
  #second = 0x9747b28c

  constructor(keepLines: boolean) {
    this.#lines = keepLines ? [] : undefined
  }

  /** The lines kept, oldest first: only the first million. */
  get lines(): readonly string[] {
    return this.#lines ?? []
  }

  get hash(): string {
    return [this.#first, this.#second].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
  }

  /** An event ran. */
  tick(timeMs: number, sequence: number): void {
    this.#time[0] = timeMs
    this.#mix(this.#timeBits[0]!)
    this.#mix(this.#timeBits[1]!)
    this.#mix(sequence)
  }

  /** Something worth telling happened: who did what, and to which. */
  note(timeMs: number, who: string, what: string, which: string | number): void {
    this.#mixText(who)
    this.#mixText(what)
    if (typeof which === 'number') this.#mix(which)
    else this.#mixText(which)
    if (this.#lines && this.#lines.length < linesMax) {
      this.#lines.push(`${timeMs.toFixed(3)} ${who} ${what} ${which}`)
    }
  }

  #mixText(text: string): void {
    let first = this.#first
    let second = this.#second
    for (let index = 0; index <= text.length; index++) {
      const bits = index < text.length ? text.charCodeAt(index) : text.length
      first = Math.imul(first ^ bits, 0x01000193)
      first ^= first >>> 15
      second = Math.imul((second + bits) | 0, 0x85ebca6b)
      second ^= second >>> 13
    }
    this.#first = first
    this.#second = second
  }

  #mix(bits: number): void {
    this.#first = Math.imul(this.#first ^ bits, 0x01000193)
    this.#first ^= this.#first >>> 15
    this.#second = Math.imul((this.#second + bits) | 0, 0x85ebca6b)
    this.#second ^= this.#second >>> 13
  }
}
