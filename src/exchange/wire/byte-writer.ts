// Bytes of a message, written one field after another into memory that grows as needed.

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(1_024)
  #size = 0

  u8(value: number): this {
    this.#room(1)
    this.#bytes[this.#size++] = value
    return this
  }

  /** A whole number from 0, seven bits a byte, the lowest first. */
  varint(value: number): this {
    this.#room(8)
    let left = value
    while (left >= 0x80) {
      this.#bytes[this.#size++] = (left % 0x80) | 0x80
      left = Math.floor(left / 0x80)
    }
    this.#bytes[this.#size++] = left
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

  /** Its length first. */
  text(text: string): this {
    const bytes = Buffer.from(text)
    return this.varint(bytes.length).bytes(bytes)
  }

  done(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }

  #room(more: number): void {
    if (this.#size + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#size + more))
    this.#bytes.copy(larger, 0, 0, this.#size)
    this.#bytes = larger
  }
}
