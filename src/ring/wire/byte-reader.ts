// Bytes of a message, read one field after another. What is cut short is refused; what comes after the last field that
// is asked for is left alone, so that later versions can add to it.

import { RingMessageMalformed } from '../ring-error.ts'

export class ByteReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  u8(): number {
    return this.#bytes[this.#take(1)]!
  }

  u16(): number {
    return this.#bytes.readUInt16BE(this.#take(2))
  }

  u32(): number {
    return this.#bytes.readUInt32BE(this.#take(4))
  }

  u48(): number {
    return this.#bytes.readUIntBE(this.#take(6), 6)
  }

  hex(bytes: number): string {
    const at = this.#take(bytes)
    return this.#bytes.toString('hex', at, at + bytes)
  }

  bytes(length: number): Uint8Array {
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** Printable ASCII only: it ends up in logs and on terminals. */
  text(): string {
    const length = this.u8()
    const at = this.#take(length)
    const text = this.#bytes.toString('latin1', at, at + length)
    if (!/^[\x21-\x7e]*$/.test(text))
      throw new RingMessageMalformed('a name with characters that names do not have')
    return text
  }

  #take(length: number): number {
    const at = this.#at
    if (at + length > this.#bytes.length) throw new RingMessageMalformed('it ends too early')
    this.#at += length
    return at
  }
}
