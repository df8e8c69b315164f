// Index entries, read back from what MessageWriter wrote, in the same order. They are our own: one that cannot be read has
// rotted on disk. Bytes after the last field read are left alone, so that a later version
// may append fields to an entry.

import { bufferView } from '../../formats/wire/buffer-view.ts'
import { StoreError } from '../store-error.ts'

export class EntryReader {
  readonly #bytes: Uint8Array
  #position = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
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

  /** Four bytes, the highest first. */
  uint32(): number {
    let at = this.#take(4)
    let value = 0
    for (let count = 0; count < 4; count++) value = value * 0x100 + this.#bytes[at++]!
    return value
  }

  fixed(length: number): Buffer {
    const at = this.#take(length)
    return Buffer.from(this.#bytes.subarray(at, at + length))
  }

  text(): string {
    const length = this.number()
    const at = this.#take(length)
    return bufferView(this.#bytes).toString('utf8', at, at + length)
  }

  #take(length: number): number {
    const at = this.#position
    this.#position += length
    if (this.#position > this.#bytes.length) throw indexDamage('it is cut short')
    return at
  }
}

export function indexDamage(why: string): StoreError {
  return new StoreError(
    'store-index-damaged',
    `An entry of the index is damaged: ${why}. Make the index anew with: polyhistor store rebuild`,
  )
}
