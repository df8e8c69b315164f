// A small generator of numbers that repeat by their seed: sfc32 (C. Doty-Humphrey's PractRand), 128 bits of state seeded
// from SHA-256 of the seed's text. Passes PractRand and BigCrush, and needs only 32-bit additions, so it is fast here.
// Not fit for keys.

import { createHash } from 'node:crypto'

export class Prng {
  #a: number
  #b: number
  #c: number
  #counter: number

  constructor(seed: string) {
    const digest = createHash('sha256').update(seed).digest()
    this.#a = digest.readInt32LE(0)
    this.#b = digest.readInt32LE(4)
    this.#c = digest.readInt32LE(8)
    this.#counter = digest.readInt32LE(12)
  }

  /** 32 even bits, as a whole number from 0. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}
