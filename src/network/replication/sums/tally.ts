// Tally: how many entries, and the sum of their ids modulo 2^128. Sums of parts add up to the sum of the whole, whatever the
// parts, and an entry is taken out as it was put in.
//
// Ids are the beginnings of SHA-256 digests, so two sets that nobody made for the purpose have the same sum with a chance
// of 2^-128. Somebody who may choose some hundred thousand entries on both sides can find such sets (D. Wagner, "A
// generalized birthday problem"); what he hides is that his own entries differ.

import assert from 'node:assert/strict'

export const idBytes = 16
const countBytes = 6

export class Tally {
  count = 0
  /** The lowest byte first. */
  readonly #sum = new Uint8Array(idBytes)

  static ofBytes(bytes: Uint8Array): Tally {
    assert.equal(bytes.length, tallyBytes, 'a tally of another length')
    const tally = new Tally()
    for (let index = 0; index < countBytes; index++) tally.count = tally.count * 256 + bytes[index]!
    tally.#sum.set(bytes.subarray(countBytes))
    return tally
  }

  get isEmpty(): boolean {
    return this.count === 0
  }

  addEntry(id: Uint8Array): this {
    this.count++
    this.#add(id)
    return this
  }

  removeEntry(id: Uint8Array): this {
    this.count--
    this.#subtract(id)
    return this
  }

  join(other: Tally): this {
    this.count += other.count
    this.#add(other.#sum)
    return this
  }

  /** Takes a part out. */
  part(other: Tally): this {
    this.count -= other.count
    this.#subtract(other.#sum)
    return this
  }

  equals(other: Tally): boolean {
    return this.count === other.count && Buffer.compare(this.#sum, other.#sum) === 0
  }

  toBytes(): Uint8Array {
    assert(this.count >= 0, 'an entry was taken out that was never put in')
    const bytes = new Uint8Array(tallyBytes)
    let rest = this.count
    for (let index = countBytes - 1; index >= 0; index--) {
      bytes[index] = rest % 256
      rest = Math.floor(rest / 256)
    }
    bytes.set(this.#sum, countBytes)
    return bytes
  }

  #add(bytes: Uint8Array): void {
    const sum = this.#sum
    let carry = 0
    for (let index = 0; index < idBytes; index++) {
      carry += sum[index]! + bytes[index]!
      sum[index] = carry
      carry >>= 8
    }
  }

  #subtract(bytes: Uint8Array): void {
    const sum = this.#sum
    let carry = 0
    for (let index = 0; index < idBytes; index++) {
      carry += sum[index]! - bytes[index]!
      sum[index] = carry
      carry >>= 8
    }
  }
}

const tallyBytes = countBytes + idBytes
