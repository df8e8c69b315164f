// Census: how many links wait in the outbox, how large they are, and since when the oldest does.
//
// Counted by when they were offered, in steps of ten seconds, so that counts and ages are known without looking at the
// links. Kept in the outbox's own transactions, so that it is right after any crash.

import type { KeyValue, Table } from '../../../platform/storage/key-value.ts'

const stepMs = 10_000
const keyBytes = 6
const amountBytes = 12
const numberMax = 2 ** 48 - 1

interface Amount {
  readonly links: number
  readonly bytes: number
}

export class OutboxCounts {
  readonly #table: Table
  readonly #steps = new Map<number, Amount>()
  #links = 0
  #bytes = 0

  constructor(keyValue: KeyValue) {
    this.#table = keyValue.table('waiting')
    for (const [key, value] of this.#table.range()) {
      if (key.length === keyBytes) this.#count(Buffer.from(key).readUIntBE(0, keyBytes), read(value))
    }
  }

  get links(): number {
    return this.#links
  }

  get bytes(): number {
    return this.#bytes
  }

  /** When the oldest that waits was offered, to ten seconds. */
  get oldestMs(): number | undefined {
    let oldest: number | undefined
    for (const step of this.#steps.keys()) if (oldest === undefined || step < oldest) oldest = step
    return oldest === undefined ? undefined : oldest * stepMs
  }

  stepOf(ms: number): number {
    return Math.max(0, Math.floor(ms / stepMs))
  }

  /** Inside a transaction: so much more, or less, of this step. What it gives is to be called once that has happened. */
  change(step: number, more: Amount): () => void {
    const key = Buffer.allocUnsafe(keyBytes)
    key.writeUIntBE(step, 0, keyBytes)
    const stored = this.#table.get(key)
    const sum = stored === undefined ? more : plus(read(stored), more)
    if (sum.links > 0) this.#table.put(key, written(sum))
    else this.#table.remove(key)
    return () => this.#count(step, more)
  }

  #count(step: number, more: Amount): void {
    const sum = plus(this.#steps.get(step) ?? { links: 0, bytes: 0 }, more)
    if (sum.links > 0) this.#steps.set(step, sum)
    else this.#steps.delete(step)
    this.#links += more.links
    this.#bytes += more.bytes
  }
}

function plus(one: Amount, other: Amount): Amount {
  return { links: sumOf(one.links, other.links), bytes: sumOf(one.bytes, other.bytes) }
}

/** Always one that can be written, also when what was on disk was damaged. */
function sumOf(one: number, other: number): number {
  return Math.min(numberMax, Math.max(0, one + other))
}

function written({ links, bytes }: Amount): Buffer {
  const value = Buffer.allocUnsafe(amountBytes)
  value.writeUIntBE(links, 0, 6)
  value.writeUIntBE(bytes, 6, 6)
  return value
}

function read(value: Uint8Array): Amount {
  const bytes = Buffer.from(value)
  if (bytes.length !== amountBytes) return { links: 0, bytes: 0 }
  return { links: bytes.readUIntBE(0, 6), bytes: bytes.readUIntBE(6, 6) }
}
