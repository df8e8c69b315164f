// Accepted batches: the batches of each sender that were accepted completely, so that a repeated one is acknowledged at once.
//
// Written after the links themselves are on disk, and not flushed: entries are true after any crash, but the last ones may be
// lost; their links are then accepted again, which does no harm.
// Bounded: the last `batchesPerSender` of the last `sendersMax` senders.

import type { PeerId } from '../../platform/network/network.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'

const batchesPerSender = 64
const sendersMax = 1_024
const idHexDigits = 16
const orderBytes = 6

export class AcceptedBatches {
  readonly #keyValue: KeyValue
  readonly #table: Table
  /** Who sent last comes last. */
  readonly #senders = new Map<PeerId, string[]>()
  #order = 0

  constructor(keyValue: KeyValue) {
    this.#keyValue = keyValue
    this.#table = keyValue.table('taken')
    const readable = [...this.#table.range()].filter(([, { length }]) => length >= orderBytes)
    const stored = readable.map(([key, value]) => ({ sender: asText(key), ...read(value) }))
    for (const { sender, order, ids } of stored.sort((one, other) => one.order - other.order)) {
      this.#senders.set(sender, ids)
      this.#order = order
    }
  }

  has(sender: PeerId, id: string): boolean {
    return this.#senders.get(sender)?.includes(id) ?? false
  }

  async remember(sender: PeerId, id: string): Promise<void> {
    const ids = [...(this.#senders.get(sender) ?? []).slice(1 - batchesPerSender), id]
    this.#senders.delete(sender)
    this.#senders.set(sender, ids)
    const value = written(++this.#order, ids)
    const forgotten = this.#senders.size > sendersMax ? this.#senders.keys().next().value! : undefined
    if (forgotten !== undefined) this.#senders.delete(forgotten)
    await this.#keyValue.transaction(() => {
      this.#table.put(Buffer.from(sender), value)
      if (forgotten !== undefined) this.#table.remove(Buffer.from(forgotten))
    })
  }
}

function written(order: number, ids: readonly string[]): Uint8Array {
  const start = Buffer.alloc(orderBytes)
  start.writeUIntBE(order % 2 ** 48, 0, orderBytes)
  return Buffer.concat([start, Buffer.from(ids.join(''), 'hex')])
}

function read(value: Uint8Array): { order: number; ids: string[] } {
  const bytes = Buffer.from(value)
  const ids = bytes.toString('hex', orderBytes).match(new RegExp(`.{${idHexDigits}}`, 'g')) ?? []
  return { order: bytes.readUIntBE(0, orderBytes), ids: [...ids] }
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString()
}
