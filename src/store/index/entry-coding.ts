// Index entries as bytes: whole numbers in as few bytes as they need, texts and byte strings with their length.
//
// Invariant: what EntryWriter writes, EntryReader reads back in the same order. Bytes after the last field read are
// left alone, so that a later version may append fields to an entry.

import assert from 'node:assert/strict'

export class EntryWriter {
  #bytes = Buffer.allocUnsafe(256)
  #length = 0

  /** A whole number from 0 to 2^53 - 1: seven bits a byte, the lowest first. */
  number(value: number): this {
    assert(Number.isSafeInteger(value) && value >= 0, `${value} is no whole number`)
    this.#reserve(8)
    let rest = value
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#length++] = rest
    return this
  }

  /** Bytes of a length that the reader knows. */
  fixed(bytes: Uint8Array): this {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
    return this
  }

  text(text: string): this {
    const length = Buffer.byteLength(text)
    this.number(length).#reserve(length)
    this.#length += this.#bytes.write(text, this.#length)
    return this
  }

  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#length)
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + length))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}

export class EntryReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  number(): number {
    let value = 0
    for (let weight = 1; ; weight *= 0x80) {
      const byte = this.#bytes[this.#position++]
      assert(byte !== undefined, 'an index entry is cut short')
      value += (byte & 0x7f) * weight
      if (byte < 0x80) return value
    }
  }

  fixed(length: number): Buffer {
    const end = this.#position + length
    assert(end <= this.#bytes.length, 'an index entry is cut short')
    const bytes = Buffer.from(this.#bytes.subarray(this.#position, end))
    this.#position = end
    return bytes
  }

  text(): string {
    const end = this.number() + this.#position
    assert(end <= this.#bytes.length, 'an index entry is cut short')
    const text = this.#bytes.toString('utf8', this.#position, end)
    this.#position = end
    return text
  }
}
