// Brings the records of one capture together: the answer, what was asked, what is known besides.
//
// Tools write them in any order and link them either way (WARC-Concurrent-To on the answer or on the others), but close
// together; so a short stretch of the file is kept at hand, bounded in records and bytes. Answers leave it in the order
// in which they came.

import type { FieldList } from '../../formats/http/field-list.ts'
import { dateOf, recordIdOf, targetUriOf, typeOf } from '../../formats/warc/record.ts'
import type { ReadRecord } from './read-record.ts'

export interface RecordGroup {
  readonly main: ReadRecord
  request?: ReadRecord
  metadata?: ReadRecord
}

export type Paired = { kind: 'group'; group: RecordGroup } | { kind: 'unpaired'; record: ReadRecord }

interface Held {
  record: ReadRecord
  id: string | undefined
  links: Set<string>
  name: string
  arrival: number
  /** Of an answer. */
  group: RecordGroup | undefined
}

const recordsMax = 16
const bytesMax = 16 * 1024 * 1024

export class Pairing {
  /** In the order of arrival; what has been paired with an answer is no longer here. */
  readonly #held: Held[] = []
  #arrivals = 0
  #bytes = 0

  /** Offset of the first record that is still here, alone or with its answer. */
  get oldestOffset(): number {
    return Math.min(...this.#held.map((held) => firstOffset(held)))
  }

  /** Takes a record in; gives those that leave for it. */
  *push(record: ReadRecord): Generator<Paired> {
    this.#arrivals++
    const held = this.#holding(record)
    this.#bytes += heldBytes(record)
    if (held.group !== undefined) this.#attachEarlier(held)
    else if (this.#attachLater(held)) return
    this.#held.push(held)
    yield* this.#leave()
  }

  /** All that is left. */
  *end(): Generator<Paired> {
    while (this.#held.length > 0) yield this.#first()
  }

  *#leave(): Generator<Paired> {
    while (
      this.#held.length > 0 &&
      (this.#arrivals - this.#held[0]!.arrival >= recordsMax || this.#bytes > bytesMax)
    ) {
      yield this.#first()
    }
  }

  #first(): Paired {
    const { record, group } = this.#held.shift()!
    if (group === undefined) {
      this.#bytes -= heldBytes(record)
      return { kind: 'unpaired', record }
    }
    for (const part of [group.main, group.request, group.metadata]) if (part) this.#bytes -= heldBytes(part)
    return { kind: 'group', group }
  }

  #holding(record: ReadRecord): Held {
    const isMain = !isCompanion(record)
    return {
      record,
      id: recordIdOf(record),
      links: new Set([...record.fields.getAll('WARC-Concurrent-To'), ...refersTo(record)]),
      name: `${targetUriOf(record)} ${dateOf(record)}`,
      arrival: this.#arrivals,
      group: isMain ? { main: record } : undefined,
    }
  }

  /** Companions that came before their answer. */
  #attachEarlier(main: Held): void {
    for (const held of [...this.#held]) {
      if (held.group === undefined && belong(main, held) && attach(main.group!, held.record)) {
        this.#held.splice(this.#held.indexOf(held), 1)
      }
    }
  }

  #attachLater(companion: Held): boolean {
    const main = this.#held.findLast((held) => held.group !== undefined && belong(held, companion))
    return main !== undefined && attach(main.group!, companion.record)
  }
}

export function isCompanion(record: { fields: FieldList }): boolean {
  const type = typeOf(record)
  return type === 'request' || type === 'metadata'
}

function belong(main: Held, companion: Held): boolean {
  if (main.id !== undefined && companion.links.has(main.id)) return true
  if (companion.id !== undefined && main.links.has(companion.id)) return true
  return main.links.size === 0 && companion.links.size === 0 && main.name === companion.name
}

/** False when the answer has one of that kind already. */
function attach(group: RecordGroup, record: ReadRecord): boolean {
  const place = typeOf(record) === 'request' ? 'request' : 'metadata'
  if (group[place] !== undefined) return false
  group[place] = record
  return true
}

/** Some tools have metadata refer to the answer. What a revisit refers to is another capture. */
function refersTo(record: ReadRecord): string[] {
  return typeOf(record) === 'metadata' ? record.fields.getAll('WARC-Refers-To') : []
}

function firstOffset({ record, group }: Held): number {
  if (group === undefined) return record.offset
  const offsets = [group.main, group.request, group.metadata].map((part) => part?.offset ?? record.offset)
  return Math.min(...offsets)
}

function heldBytes({ block }: ReadRecord): number {
  return block instanceof Uint8Array ? block.length : 0
}
