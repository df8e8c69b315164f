// The directory of contents: what this peer knows of where contents are kept and which sites need them. Durable.
//
// Invariants: all rows of a digest lie together in the order of the ring; of each the newest version counts; a digest is among
// the unneeded from the moment that its last need ended, until it is needed again or was let go.
// Leaves to others: who owns what, and whether those who should keep a content do.

import { readableOr } from '../../formats/wire/message-bytes.ts'
import type { Digest } from '../../model/digest.ts'
import { type RingKey, ringKeyToBytes } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { KeyValue, Table } from '../../platform/storage/key-value.ts'
import {
  type ContentPlace,
  type ContentRow,
  contentRow,
  counts,
  digestBytes,
  digestOfRow,
  type Need,
  rowKey,
} from './content-row.ts'

interface RowsPage {
  readonly rows: readonly ContentRow[]
  /** Where to go on; undefined when that was all. */
  readonly next: Uint8Array | undefined
}

const timeLength = 8

export class Directory {
  readonly #map: KeyValue
  readonly #clock: Clock
  readonly #rows: Table
  readonly #unneeded: Table

  constructor(needs: { keyValue: KeyValue; clock: Clock }) {
    this.#map = needs.keyValue
    this.#clock = needs.clock
    this.#rows = needs.keyValue.table('rows')
    this.#unneeded = needs.keyValue.table('unneeded')
  }

  place(digest: Digest): ContentPlace | undefined {
    const bytes = this.#rows.get(digest.bytes)
    const row = storedRow(bytes)
    return row?.kind === 'place' ? row.place : undefined
  }

  isNeeded(digest: Digest): boolean {
    const from = Buffer.concat([digest.bytes, Buffer.from([0])])
    for (const [key, value] of this.#rows.range({ from })) {
      if (!startsWith(key, digest)) return false
      const row = storedRow(value)
      if (row?.kind === 'need' && row.need.isNeeded) return true
    }
    return false
  }

  /** Writes what is not known yet. Resolves when it is durable, with the rows that others should get. */
  async put(changes: { places?: readonly ContentPlace[]; needs?: readonly Need[] }): Promise<ContentRow[]> {
    const places = (changes.places ?? []).map((place) => ({ kind: 'place', version: 0, place }) as const)
    const needs = (changes.needs ?? []).map((need) => ({ kind: 'need', version: 0, need }) as const)
    return this.#change(() => [...places, ...needs].flatMap((row) => this.#putNew(row)))
  }

  /** Takes in what another peer wrote. Resolves when it is durable. */
  async merge(rows: readonly ContentRow[]): Promise<void> {
    await this.#change(() => {
      for (const row of rows) {
        const encoded = contentRow.encode(row)
        const known = this.#rows.get(rowKey(row))
        if (storedRow(known) === undefined || counts(encoded, known!)) this.#write(row, encoded)
      }
    })
  }

  /** Rows from a place of the ring up to another, both included: as many as fit into a message. */
  page(from: Uint8Array, upTo: RingKey, rowsMax: number): RowsPage {
    const rows: ContentRow[] = []
    for (const [key, value] of this.#rows.range({ from })) {
      if (Buffer.compare(key.subarray(0, upTo.length / 2), ringKeyToBytes(upTo)) > 0) break
      if (rows.length === rowsMax) return { rows, next: Uint8Array.from(key) }
      const row = storedRow(value)
      if (row !== undefined) rows.push(row)
    }
    return { rows, next: undefined }
  }

  /** The first of its rows from here on. */
  first(from: Uint8Array): Digest | undefined {
    for (const [key] of this.#rows.range({ from, limit: 1 })) return digestIn(key)
    return undefined
  }

  /** Forgets rows, unless they have changed since. */
  async remove(rows: readonly ContentRow[]): Promise<void> {
    await this.#change(() => {
      for (const row of rows) {
        const key = rowKey(row)
        const known = this.#rows.get(key)
        if (known !== undefined && Buffer.compare(known, contentRow.encode(row)) === 0) this.#rows.remove(key)
        if (row.kind === 'place') this.#unneeded.remove(row.place.digest.bytes)
      }
    })
  }

  /** Contents that have been needed by nobody since before then. */
  unneededSince(beforeMs: number, limit: number): Digest[] {
    const found: Digest[] = []
    for (const [key, value] of this.#unneeded.range()) {
      if (value.length === timeLength && Buffer.from(value).readDoubleBE() > beforeMs) continue
      found.push(digestIn(key))
      if (found.length === limit) break
    }
    return found
  }

  async forgetUnneeded(digests: readonly Digest[]): Promise<void> {
    await this.#change(() => {
      for (const { bytes } of digests) this.#unneeded.remove(bytes)
    })
  }

  #putNew(row: ContentRow): ContentRow[] {
    const known = storedRow(this.#rows.get(rowKey(row)))
    if (known !== undefined && sameBut(row, known)) return []
    const versionBefore = known === undefined ? 0 : known.version
    const written = { ...row, version: Math.max(versionBefore + 1, this.#clock.nowMs()) }
    this.#write(written, contentRow.encode(written))
    return [written]
  }

  #write(row: ContentRow, encoded: Uint8Array): void {
    this.#rows.put(rowKey(row), encoded)
    if (row.kind !== 'need') return
    const digest = digestOfRow(row)
    if (row.need.isNeeded) this.#unneeded.remove(digest.bytes)
    else if (!this.isNeeded(digest)) this.#unneeded.put(digest.bytes, timeBytes(this.#clock.nowMs()))
  }

  async #change<T>(action: () => T): Promise<T> {
    const result = await this.#map.transaction(action)
    await this.#map.flush()
    return result
  }
}

/** What was damaged on disk is as if it were not there. */
function storedRow(bytes: Uint8Array | undefined): ContentRow | undefined {
  return bytes && readableOr(() => contentRow.decode(bytes), undefined)
}

/** The same but for their versions. */
function sameBut(row: ContentRow, known: ContentRow): boolean {
  return (
    Buffer.compare(contentRow.encode({ ...row, version: 0 }), contentRow.encode({ ...known, version: 0 })) ===
    0
  )
}

function startsWith(key: Uint8Array, { bytes }: Digest): boolean {
  return Buffer.compare(key.subarray(0, digestBytes), bytes) === 0
}

function digestIn(key: Uint8Array): Digest {
  return { algorithm: 'sha256', bytes: Uint8Array.from(key.subarray(0, digestBytes)) }
}

function timeBytes(ms: number): Buffer {
  const bytes = Buffer.alloc(timeLength)
  bytes.writeDoubleBE(ms)
  return bytes
}
