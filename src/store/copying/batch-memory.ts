// Memory for batches of copies that go to a thread and come back: used again, for taking and clearing it costs as much as copying.

/** That are kept for the next. */
const sparesMax = 8

export class BatchMemory {
  readonly #batchBytes: number
  readonly #spares: ArrayBuffer[] = []

  constructor(batchBytes: number) {
    this.#batchBytes = batchBytes
  }

  /** Behind one another, in memory of their own, which can be given away. */
  together(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    const size = parts.reduce((sum, { length }) => sum + length, 0)
    const memory = size > this.#batchBytes ? new ArrayBuffer(size) : this.#spare()
    const all = new Uint8Array(memory, 0, size)
    let at = 0
    for (const part of parts) {
      all.set(part, at)
      at += part.length
    }
    return all
  }

  /** Returns memory that is not needed any more. */
  giveBack({ buffer }: Uint8Array): void {
    const isOurs = buffer instanceof ArrayBuffer && buffer.byteLength === this.#batchBytes
    if (isOurs && this.#spares.length < sparesMax) this.#spares.push(buffer)
  }

  #spare(): ArrayBuffer {
    return this.#spares.pop() ?? new ArrayBuffer(this.#batchBytes)
  }
}
