// Chance that repeats by its seed.
//
// Invariant: what a fork gives depends on the seed and the names on the way to it, not on who else draws, so a new
// consumer does not disturb the others. Not fit for keys.

import assert from 'node:assert/strict'
import type { Random } from '../random.ts'
import { Prng } from './prng.ts'

export class SimulatedRandom implements Random {
  readonly #seed: string
  readonly #prng: Prng

  constructor(seed: string | number) {
    this.#seed = String(seed)
    this.#prng = new Prng(this.#seed)
  }

  /** Another stream, the same each time for the same name. */
  fork(name: string): SimulatedRandom {
    return new SimulatedRandom(`${this.#seed}/${name}`)
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length)
    for (let index = 0; index < length; index += 4) {
      const bits = this.#prng.next()
      for (let byte = 0; byte < 4 && index + byte < length; byte++) bytes[index + byte] = bits >>> (8 * byte)
    }
    return bytes
  }

  below(limit: number): number {
    assert(Number.isInteger(limit) && limit >= 1 && limit < 2 ** 48)
    const size = limit <= 2 ** 32 ? 2 ** 32 : 2 ** 53
    // What lies past the last whole multiple of the limit would make low numbers likelier.
    const even = size - (size % limit)
    for (;;) {
      const drawn = size === 2 ** 32 ? this.#prng.next() : this.#bits53()
      if (drawn < even) return drawn % limit
    }
  }

  fraction(): number {
    return this.#bits53() / 2 ** 53
  }

  /** True once in 1/probability times. Draws even when it is certain, so that changing it does not shift the stream. */
  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  /** A number in [min, max). */
  between(min: number, max: number): number {
    return min + this.fraction() * (max - min)
  }

  uuid(): string {
    const bytes = this.bytes(16)
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    const hex = Buffer.from(bytes).toString('hex')
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }

  #bits53(): number {
    return (this.#prng.next() >>> 6) * 2 ** 27 + (this.#prng.next() >>> 5)
  }
}
