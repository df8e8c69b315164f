// Index entries, read back from what MessageWriter wrote, in the same order. They are our own: one that cannot be read is a
// broken invariant, not a message to be refused. Bytes after the last field read are left alone, so that a later version
// may append fields to an entry.

import assert from 'node:assert/strict'

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
      if (byte === undefined) assert.fail('an index entry is cut short')
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
