// Action log: every action of the console, durable, the newest `recordsMax` of them.
//
// Invariants: an action is on disk before it is carried out, so that none is missing after a crash. Ids grow by one and are never
// given twice, as long as there is a record left.

import type { KeyValue, Table } from '../platform/storage/key-value.ts'
import { type ActionRecord, readActionRecord } from './action-record.ts'

const recordsMax = 10_000
const idBytes = 6
const messageMax = 2_000
const aboutMax = 4_000

export class ActionLog {
  readonly #map: KeyValue
  readonly #table: Table
  readonly #recordsMax: number
  #lastId: number

  /** The map is this log's alone. */
  constructor(map: KeyValue, limits: { readonly recordsMax?: number } = {}) {
    this.#map = map
    this.#table = map.table('actions')
    this.#recordsMax = limits.recordsMax ?? recordsMax
    const [newest] = [...this.#table.range({ reverse: true, limit: 1 })]
    this.#lastId = newest === undefined ? 0 : idOf(newest[0])
  }

  /** Resolves when it is on disk. */
  async append(action: Omit<ActionRecord, 'id'>): Promise<ActionRecord> {
    const record = { ...bounded(action), id: ++this.#lastId }
    await this.#put(record)
    return record
  }

  async change(record: ActionRecord): Promise<ActionRecord> {
    const after = bounded(record)
    await this.#put(after)
    return after
  }

  find(id: number): ActionRecord | undefined {
    if (!Number.isSafeInteger(id) || id < 1 || id > this.#lastId) return undefined
    const stored = this.#table.get(keyOf(id))
    return stored && readActionRecord(stored)
  }

  /** Newest first, those before this id. */
  list(limit: number, before?: number): ActionRecord[] {
    const to = before === undefined ? undefined : keyOf(Math.max(0, Math.min(before, 2 ** 47)))
    const records: ActionRecord[] = []
    for (const [, stored] of this.#table.range({ ...(to && { to }), reverse: true, limit })) {
      const record = readActionRecord(stored)
      if (record !== undefined) records.push(record)
    }
    return records
  }

  close(): Promise<void> {
    return this.#map.close()
  }

  async #put(record: ActionRecord): Promise<void> {
    await this.#map.transaction(() => {
      this.#table.put(keyOf(record.id), Buffer.from(JSON.stringify(record)))
      // One goes for each that comes; more where the limit was higher before.
      const to = keyOf(Math.max(0, record.id - this.#recordsMax + 1))
      for (const [key] of this.#table.range({ to })) this.#table.remove(key)
    })
    await this.#map.flush()
  }
}

function bounded<T extends Omit<ActionRecord, 'id'>>(record: T): T {
  return {
    ...record,
    about: record.about.slice(0, aboutMax),
    message: record.message.slice(0, messageMax),
  }
}

function keyOf(id: number): Buffer {
  const key = Buffer.alloc(idBytes)
  key.writeUIntBE(id, 0, idBytes)
  return key
}

function idOf(key: Uint8Array): number {
  return Buffer.from(key).readUIntBE(0, idBytes)
}
