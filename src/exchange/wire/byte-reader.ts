// Bytes of a message, read one field after another. What is cut short or cannot be is refused.

import { malformed } from '../exchange-error.ts'

const varintBytesMax = 7

/** Whether it can be read as a name, written as UTF-8. Names end up in logs and on terminals. */
export function isName(text: string, bytesMax: number): boolean {
  return text.isWellFormed() && !/[\p{Cc}\ufffd]/u.test(text) && Buffer.byteLength(text) <= bytesMax
}

export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  u8(): number {
    return this.#bytes[this.#take(1)]!
  }

  varint(): number {
    let value = 0
    let unit = 1
    for (let count = 0; count < varintBytesMax; count++) {
      const byte = this.u8()
      value += (byte & 0x7f) * unit
      if (byte < 0x80) return value
      unit *= 0x80
    }
    throw malformed('a number is too large')
  }

  /** How many of something follow, each of at least a byte: so no count can make us take memory that it did not send. */
  count(): number {
    const count = this.varint()
    if (count > this.left) throw malformed('it counts more than it holds')
    return count
  }

  /** The place of something in a list of this length. */
  index(length: number): number {
    const index = this.varint()
    if (index >= length) throw malformed('it names something that is not there')
    return index
  }

  hex(bytes: number): string {
    const at = this.#take(bytes)
    return this.#bytes.toString('hex', at, at + bytes)
  }

  text(bytesMax: number): string {
    const length = this.varint()
    if (length > bytesMax) throw malformed('a name is too long')
    const at = this.#take(length)
    const text = this.#bytes.toString('utf8', at, at + length)
    if (!isName(text, bytesMax)) throw malformed('a name has characters that names do not have')
    return text
  }

  bytes(length: number): Buffer {
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  rest(): Buffer {
    return this.bytes(this.left)
  }

  #take(length: number): number {
    const at = this.#at
    if (at + length > this.#bytes.length) throw malformed('it ends too early')
    this.#at += length
    return at
  }
}
