// Index entries, read back from what MessageWriter wrote, in the same order. They are our own: one that cannot be read has
// rotted on disk. Bytes after the last field read are left alone, so that a later version
// may append fields to an entry.

import { StoreError } from '../store-error.ts'

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
      if (byte === undefined) throw indexDamage('it is cut short')
      value += (byte & 0x7f) * weight
      if (byte < 0x80) return value
    }
  }

  fixed(length: number): Buffer {
    const end = this.#position + length
    if (end > this.#bytes.length) throw indexDamage('it is cut short')
    const bytes = Buffer.from(this.#bytes.subarray(this.#position, end))
    this.#position = end
    return bytes
  }

  text(): string {
    const end = this.number() + this.#position
    if (end > this.#bytes.length) throw indexDamage('it is cut short')
    const text = this.#bytes.toString('utf8', this.#position, end)
    this.#position = end
    return text
  }
}

export function indexDamage(why: string): StoreError {
  return new StoreError(
    'store-index-damaged',
    `An entry of the index is damaged: ${why}. Make the index anew with: polyhistor store rebuild`,
  )
}
