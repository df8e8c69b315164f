// The ledger: keeps the index's entries true to each other. All its methods run inside an index change.
//
// Invariants:
// - a content's references = captures that name it + puts + deltas made against it; at 0 it is gone;
// - a delta's base has a reference for it, so that no base goes before its deltas;
// - a volume's deadBytes = its bytes that neither a capture nor a content entry points at, its warcinfo aside;
// - totals are those of the entries.

import assert from 'node:assert/strict'
import { type ContentKey, printContentKey } from '../content-key.ts'
import type { CaptureEntry } from './capture-entry.ts'
import type { ContentEntry } from './content-entry.ts'
import type { StoreIndex } from './store-index.ts'

export interface Totals {
  captures: number
  /** Distinct contents. */
  contents: number
  /** Bytes of all payloads as if each capture and put had kept its own. */
  originalBytes: number
  /** Bytes of the distinct payloads. */
  distinctBytes: number
}

const noTotals: Totals = { captures: 0, contents: 0, originalBytes: 0, distinctBytes: 0 }

export class Ledger {
  readonly #index: StoreIndex

  constructor(index: StoreIndex) {
    this.#index = index
  }

  totals(): Totals {
    return this.#index.note<Totals>('totals') ?? { ...noTotals }
  }

  addCapture(key: Uint8Array, entry: CaptureEntry): void {
    this.#index.putCapture(key, entry)
    this.#index.putRecord(entry.recordId, entry.location)
    this.#count({ captures: 1, originalBytes: entry.payloadBytes })
  }

  /** Forgets a capture; what only it needed is dead from now on. */
  removeCapture(key: Uint8Array, entry: CaptureEntry): void {
    this.#index.removeCapture(key)
    this.#index.removeRecord(entry.recordId)
    this.#count({ captures: -1, originalBytes: -entry.payloadBytes })
    this.markDead(entry.location.volume, entry.companionBytes)
    if (!holdsContent(entry)) this.markDead(entry.location.volume, entry.location.length)
    if (entry.content === undefined) return
    const content = this.#index.content(entry.content)
    if (content === undefined) return
    if (holdsContent(entry)) content.isOrphaned = true
    this.#release(entry.content, content)
  }

  addContent(key: ContentKey, entry: ContentEntry): void {
    assert(this.#index.content(key) === undefined, `content ${printContentKey(key)} is there already`)
    this.#index.putContent(key, entry)
    this.#count({ contents: 1, distinctBytes: entry.sizeBytes })
    if (entry.base !== undefined) assert(this.addReference(entry.base), 'a delta without its base')
  }

  /** False when the content is gone. */
  addReference(key: ContentKey, { isPut = false } = {}): boolean {
    const entry = this.#index.content(key)
    if (entry === undefined) return false
    entry.references++
    if (isPut) entry.puts++
    this.#index.putContent(key, entry)
    return true
  }

  countPut(sizeBytes: number): void {
    this.#count({ originalBytes: sizeBytes })
  }

  /** Takes one put back. False when there is none. */
  removePut(key: ContentKey): boolean {
    const entry = this.#index.content(key)
    if (entry === undefined || entry.puts === 0) return false
    entry.puts--
    this.#count({ originalBytes: -entry.sizeBytes })
    this.#release(key, entry)
    return true
  }

  markDead(volume: number, bytes: number): void {
    const entry = this.#index.volume(volume)
    if (entry === undefined || bytes === 0) return
    entry.deadBytes += bytes
    this.#index.putVolume(volume, entry)
  }

  #release(key: ContentKey, entry: ContentEntry): void {
    entry.references--
    assert(entry.references >= 0, `content ${printContentKey(key)} released too often`)
    if (entry.references > 0) {
      this.#index.putContent(key, entry)
      return
    }
    this.#index.removeContent(key)
    this.#count({ contents: -1, distinctBytes: -entry.sizeBytes })
    this.markDead(entry.location.volume, entry.location.length)
    if (entry.base === undefined) return
    const base = this.#index.content(entry.base)
    assert(base !== undefined, 'a delta outlived its base')
    this.#release(entry.base, base) // At most as deep as a chain of deltas is long.
  }

  #count(change: Partial<Totals>): void {
    const totals = this.totals()
    for (const [name, by] of Object.entries(change) as [keyof Totals, number][]) totals[name] += by
    this.#index.putNote('totals', totals)
  }
}

/** Whether the capture's own record is where its content lies. */
export function holdsContent(entry: CaptureEntry): boolean {
  return entry.kind === 'full' || entry.kind === 'plain' || entry.kind === 'delta'
}
