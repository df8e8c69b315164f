// Quarantine: stored announcements that turned out to be invalid, or that a part of the peer failed on. They have no effect and
// are not passed on, but are kept for inspection.
//
// Invariant: at most `entriesMax`, each cut at `bytesMax`; the oldest goes first.

import { MessageReader, MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { Table } from '../../platform/storage/key-value.ts'

interface Quarantined {
  readonly atMs: number
  readonly reason: string
  /** As it was stored, or the beginning of that. */
  readonly bytes: Uint8Array
}

const entriesMax = 1_000
const bytesMax = 4_096
const reasonCharsMax = 500

export class Quarantine {
  readonly #table: Table
  #count = 0

  constructor(table: Table) {
    this.#table = table
    for (const _ of table.range()) this.#count++
  }

  get count(): number {
    return this.#count
  }

  *all(): Iterable<Quarantined> {
    for (const [, value] of this.#table.range()) {
      const reader = new MessageReader(value)
      yield { atMs: reader.number(), reason: reader.text(4 * reasonCharsMax), bytes: reader.rest() }
    }
  }

  /** Inside a transaction. */
  add(id: Uint8Array, { atMs, reason, bytes }: Quarantined): void {
    const key = new MessageWriter()
      .uint(Math.max(0, Math.floor(atMs)), 6)
      .fixed(id)
      .finish()
    const value = new MessageWriter()
      .number(Math.max(0, Math.floor(atMs)))
      .text(reason.slice(0, reasonCharsMax))
    this.#table.put(key, value.fixed(bytes.subarray(0, bytesMax)).finish())
    this.#count = 0
    for (const _ of this.#table.range()) this.#count++
    for (const [oldest] of this.#table.range({ limit: Math.max(0, this.#count - entriesMax) })) {
      this.#table.remove(oldest)
      this.#count--
    }
  }
}
