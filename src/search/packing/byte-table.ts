// Byte table: gives every string of bytes that it is shown a number, the same when it comes again, counted from 0. Without strings:
// most words of a text are known already, and to make a string of one costs more than to find it here.
//
// Hashes begin with a number that nobody outside knows: pages cannot be written so that all of their words meet in one place.
// Bounded by whoever fills it: `bytes` and `count` tell how large it is.

import { randomBytes } from 'node:crypto'

const seed = randomBytes(4).readInt32LE()

/** Of a place: the number and 1, or 0 where it is free; the hash; where the bytes begin; where they end. In one line of the caches. */
const slotShift = 2
const slotNumbers = 1 << slotShift

export class ByteTable {
  /** At most half of them are taken. */
  #slots = new Int32Array(slotNumbers * 1_024)
  /** Where each begins in the bytes; one more, where the next will. */
  #starts = new Uint32Array(513)
  #bytes = Buffer.allocUnsafeSlow(4_096)
  count = 0

  get bytes(): number {
    return this.#starts[this.count]!
  }

  /** A number that is `count` was not known before. */
  numberOf(source: Uint8Array, start: number, end: number): number {
    let hash = seed | 0
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ source[at]!, 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    hash ^= hash >>> 13
    const [slots, bytes] = [this.#slots, this.#bytes]
    const mask = slots.length - 1
    let slot = (hash << slotShift) & mask
    for (let taken = slots[slot]!; taken !== 0; taken = slots[slot]!) {
      if (slots[slot + 1] === hash) {
        let own = slots[slot + 2]!
        if (slots[slot + 3]! - own === end - start) {
          let at = start
          while (at < end && bytes[own] === source[at]) {
            at++
            own++
          }
          if (at === end) return taken - 1
        }
      }
      slot = (slot + slotNumbers) & mask
    }
    return this.#add(slot, hash, source, start, end)
  }

  startOf(number: number): number {
    return this.#starts[number]!
  }

  /** All strings, one behind the other. */
  get content(): Buffer {
    return this.#bytes
  }

  text(number: number, encoding: 'utf8' | 'latin1'): string {
    return this.#bytes.toString(encoding, this.#starts[number]!, this.#starts[number + 1]!)
  }

  #add(slot: number, hash: number, source: Uint8Array, start: number, end: number): number {
    const number = this.count++
    const from = this.#starts[number]!
    const to = from + end - start
    if (to > this.#bytes.length) this.#growBytes(to)
    for (let at = start, own = from; at < end; at++, own++) this.#bytes[own] = source[at]!
    this.#slots[slot] = number + 1
    this.#slots[slot + 1] = hash
    this.#slots[slot + 2] = from
    this.#slots[slot + 3] = to
    this.#starts[number + 1] = to
    if (this.count === this.#starts.length - 1) this.#grow()
    return number
  }

  #growBytes(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(2 * needed)
    grown.set(this.#bytes)
    this.#bytes = grown
  }

  #grow(): void {
    const starts = new Uint32Array(2 * this.count + 1)
    starts.set(this.#starts)
    this.#starts = starts
    const old = this.#slots
    this.#slots = new Int32Array(2 * old.length)
    const mask = this.#slots.length - 1
    for (let at = 0; at < old.length; at += slotNumbers) {
      if (old[at] === 0) continue
      let slot = (old[at + 1]! << slotShift) & mask
      while (this.#slots[slot] !== 0) slot = (slot + slotNumbers) & mask
      for (let part = 0; part < slotNumbers; part++) this.#slots[slot + part] = old[at + part]!
    }
  }
}
