// Stream place: how far the watches of a home have read the stream of changes, and which events behind that are dealt with already.
//
// After a new start the stream tells again what lies behind the cursor. What of that was dealt with is known by its id, until the cursor
// has passed it: so each event is recorded once, though it is told at least once. The ids are few: those of events that some watch or
// feed wanted, of the last seconds.

import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import type { StoredEvent } from '../event-coding.ts'

export const placeTables = ['place', 'dealt'] as const

const cursorKey = Buffer.from('cursor')
const stampBytes = 6

export class StreamPlace {
  readonly #place: Table
  readonly #dealt: Table

  constructor(map: KeyValue) {
    this.#place = map.table('place')
    this.#dealt = map.table('dealt')
  }

  /** undefined: nothing was read yet. */
  get cursor(): number | undefined {
    const stored = this.#place.get(cursorKey)
    return stored && Buffer.from(stored).readUIntBE(0, stampBytes)
  }

  isDealtWith(event: Pick<StoredEvent, 'stamp' | 'id'>): boolean {
    return this.#dealt.get(keyOf(event)) !== undefined
  }

  /** Only inside a transaction, as all that writes. */
  noteDealtWith(event: Pick<StoredEvent, 'stamp' | 'id'>): void {
    this.#dealt.put(keyOf(event), Buffer.of(1))
  }

  moveTo(cursor: number): void {
    const value = stampOf(cursor)
    this.#place.put(cursorKey, value)
    for (const [key] of [...this.#dealt.range({ to: stampOf(cursor + 1) })]) this.#dealt.remove(key)
  }
}

function stampOf(stamp: number): Buffer {
  const bytes = Buffer.alloc(stampBytes)
  bytes.writeUIntBE(stamp, 0, stampBytes)
  return bytes
}

function keyOf({ stamp, id }: Pick<StoredEvent, 'stamp' | 'id'>): Buffer {
  return Buffer.concat([stampOf(stamp), id])
}
