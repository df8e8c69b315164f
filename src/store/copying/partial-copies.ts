// Keeps what has come of large copies whose transfer was cut off, so that it goes on from there, from whomever.
//
// Bounded: beyond so many parts, or so many bytes of them, the one that was left first goes. None outlives the process: the spool is
// emptied at its next use.

import type { SpoolFile } from '../spool.ts'

const partsMax = 8
const bytesMax = 2 * 1024 ** 3

export class PartialCopies {
  /** The one that was left first comes first. */
  readonly #parts = new Map<string, SpoolFile>()
  readonly #bytesMax: number
  #isClosed = false

  constructor(options: { bytesMax?: number } = {}) {
    this.#bytesMax = options.bytesMax ?? bytesMax
  }

  /** The caller owns it from now on. */
  take(name: string): SpoolFile | undefined {
    const part = this.#parts.get(name)
    this.#parts.delete(name)
    return part
  }

  async keep(name: string, part: SpoolFile): Promise<void> {
    if (this.#isClosed) return part.discard()
    const other = this.take(name)
    this.#parts.set(name, part)
    await other?.discard()
    while (this.#parts.size > partsMax || this.#bytes > this.#bytesMax) {
      const [oldest] = this.#parts.keys()
      await this.take(oldest!)!.discard()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const name of [...this.#parts.keys()]) await this.take(name)!.discard()
  }

  get #bytes(): number {
    let bytes = 0
    for (const { sizeBytes } of this.#parts.values()) bytes += sizeBytes
    return bytes
  }
}
