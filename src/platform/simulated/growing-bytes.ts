// Bytes that grow. Invariant: what lies past the size is zero, so growing again shows no old bytes.

export class GrowingBytes {
  #bytes: Uint8Array = new Uint8Array(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  slice(from: number, to: number): Uint8Array {
    return this.#bytes.slice(Math.min(from, this.#size), Math.min(to, this.#size))
  }

  write(position: number, bytes: Uint8Array): void {
    const end = position + bytes.length
    if (end > this.#size) this.resize(end)
    this.#bytes.set(bytes, position)
  }

  zero(from: number, to: number): void {
    this.#bytes.fill(0, from, Math.min(to, this.#size))
  }

  resize(size: number): void {
    if (size < this.#size) this.#bytes.fill(0, size, this.#size)
    else if (size > this.#bytes.length) this.#reserve(size)
    this.#size = size
  }

  flip(position: number, bit: number): void {
    if (position < this.#size) this.#bytes[position]! ^= 1 << bit
  }

  copyOf(other: GrowingBytes): void {
    this.#bytes = other.slice(0, other.size)
    this.#size = other.size
  }

  #reserve(size: number): void {
    const bytes = new Uint8Array(Math.max(size, this.#bytes.length * 2, 512))
    bytes.set(this.#bytes.subarray(0, this.#size))
    this.#bytes = bytes
  }
}
