// Bytes of a message, written one field after another into memory that grows as needed.

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(256)
  #size = 0

  u8(value: number): this {
    this.#room(1)
    this.#bytes[this.#size++] = value
    return this
  }

  u16(value: number): this {
    this.#room(2)
    this.#size = this.#bytes.writeUInt16BE(value, this.#size)
    return this
  }

  u32(value: number): this {
    this.#room(4)
    this.#size = this.#bytes.writeUInt32BE(value, this.#size)
    return this
  }

  /** Whole numbers up to 2^48: milliseconds since 1970, among others. */
  u48(value: number): this {
    this.#room(6)
    this.#size = this.#bytes.writeUIntBE(value, this.#size, 6)
    return this
  }

  hex(digits: string): this {
    this.#room(digits.length / 2)
    this.#size += this.#bytes.write(digits, this.#size, 'hex')
    return this
  }

  bytes(bytes: Uint8Array): this {
    this.#room(bytes.length)
    this.#bytes.set(bytes, this.#size)
    this.#size += bytes.length
    return this
  }

  /** At most 255 bytes. Names and addresses are plain letters, one byte each. */
  text(text: string): this {
    this.#room(1 + text.length)
    this.#bytes[this.#size] = text.length
    this.#bytes.write(text, this.#size + 1, 'latin1')
    this.#size += 1 + text.length
    return this
  }

  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  #room(more: number): void {
    if (this.#size + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#size + more))
    this.#bytes.copy(larger, 0, 0, this.#size)
    this.#bytes = larger
  }
}
