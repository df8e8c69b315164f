// Captures that were read lately, verified. Bounded by bytes; the least recently used goes first.

import type { Opened } from './wire/questions.ts'

export class ReadLately {
  readonly #bytesMax: number
  /** By record id: a capture never changes. */
  readonly #read = new Map<string, Opened>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get(recordId: string): Opened | undefined {
    const opened = this.#read.get(recordId)
    if (opened === undefined) return undefined
    this.#read.delete(recordId)
    this.#read.set(recordId, opened)
    return opened
  }

  /** Only what came whole, in one piece. */
  put(recordId: string, opened: Opened): void {
    if (this.#read.has(recordId)) return
    this.#read.set(recordId, opened)
    this.#bytes += sizeOf(opened)
    for (const [id, oldest] of this.#read) {
      if (this.#bytes <= this.#bytesMax) break
      this.#read.delete(id)
      this.#bytes -= sizeOf(oldest)
    }
  }
}

function sizeOf({ head, piece }: Opened): number {
  return (head?.length ?? 0) + piece.length
}
