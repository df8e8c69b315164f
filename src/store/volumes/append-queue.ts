// Appendings that wait for their turn, taken in batches that one sync serves.

import type { WrittenLocation } from '../index/location.ts'
import { type Appending, lengthOf } from './appending.ts'

export interface Waiting {
  appending: Appending
  resolve(location: WrittenLocation): void
  reject(error: unknown): void
}

const batchBytesMax = 8 * 1024 * 1024
const batchCountMax = 1_024

export class AppendQueue {
  #waiting: Waiting[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Settles when whoever takes it settles it. */
  add(appending: Appending): Promise<WrittenLocation> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ appending, resolve, reject })
      this.#bytes += lengthOf(appending)
    })
  }

  /** At least one, then as many as are in bounds. */
  take(): Waiting[] {
    const batch = this.#waiting.splice(0, this.#batchCount())
    for (const { appending } of batch) this.#bytes -= lengthOf(appending)
    return batch
  }

  #batchCount(): number {
    let bytes = 0
    let count = 0
    const isMove = this.#waiting[0]?.appending.isMove ?? false
    for (const { appending } of this.#waiting) {
      // They have other room.
      if ((appending.isMove ?? false) !== isMove) break
      // What flows by has a batch of its own.
      if (!(appending.bytes instanceof Uint8Array)) return Math.max(count, 1)
      bytes += appending.bytes.length
      if (count > 0 && (bytes > batchBytesMax || count >= batchCountMax)) break
      count++
    }
    return count
  }
}
