// Growing lists of numbers and of bytes, in one piece of memory each, which doubles when it is full.

export class NumberList {
  #values = new Uint32Array(1_024)
  length = 0

  add(value: number): void {
    if (this.length === this.#values.length) this.#grow(1)
    this.#values[this.length++] = value
  }

  addAll(values: Uint32Array): void {
    if (this.length + values.length > this.#values.length) this.#grow(values.length)
    this.#values.set(values, this.length)
    this.length += values.length
  }

  /** As they are now; more may lie behind the last. */
  get values(): Uint32Array {
    return this.#values
  }

  #grow(more: number): void {
    const grown = new Uint32Array(2 * this.#values.length + more)
    grown.set(this.#values)
    this.#values = grown
  }
}

/** Numbers in it have 7 bits to a byte, as posting-list.ts reads them. */
export class ByteList {
  #bytes = new Uint8Array(1_024)
  length = 0

  clear(): void {
    this.length = 0
  }

  add(byte: number): void {
    if (this.length === this.#bytes.length) this.#grow()
    this.#bytes[this.length++] = byte
  }

  addNumber(value: number): void {
    let rest = value
    while (rest > 127) {
      this.add((rest & 127) | 128)
      rest >>>= 7
    }
    this.add(rest)
  }

  addBytes(source: Uint8Array, start: number, end: number): void {
    while (this.length + end - start > this.#bytes.length) this.#grow()
    // Mostly a few: to ask for a copy takes longer.
    for (let at = start, own = this.length; at < end; at++, own++) this.#bytes[own] = source[at]!
    this.length += end - start
  }

  /** Writes how many bytes there are behind this one into it, in as many as that takes. */
  setLength(at: number): void {
    const bytes = this.length - at - 1
    if (bytes < 128) {
      this.#bytes[at] = bytes
      return
    }
    const long = new ByteList()
    long.addNumber(bytes)
    const more = long.length - 1
    for (let count = 0; count < more; count++) this.add(0)
    this.#bytes.copyWithin(at + 1 + more, at + 1, at + 1 + bytes)
    this.#bytes.set(long.copy(), at)
  }

  copy(): Uint8Array {
    return this.#bytes.slice(0, this.length)
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.#bytes.length)
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}
