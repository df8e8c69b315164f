// The accounts of captures: what became of every capture that was ever acknowledged here.
//
// Invariant: acknowledged = captures in the index (visible and hidden) + dropped because others keep them + destroyed after a
// takedown + missing. Only the ledger takes captures out, and says why. Missing are those that nobody took out: a rebuild did not find
// them again, or a scrub counted fewer than there are to be. One that comes back is missing no more.

import type { StoreIndex } from './store-index.ts'

export type RemovalCause = 'dropped' | 'destroyed'

export interface RemovedCaptures {
  dropped: number
  destroyed: number
}

const removedName = 'removedCaptures'
const missingName = 'missingCaptures'
const uncountedName = 'uncountedCaptures'

export class CaptureAccounts {
  readonly #index: StoreIndex
  #mayMiss = true

  constructor(index: StoreIndex) {
    this.#index = index
  }

  get removed(): RemovedCaptures {
    return { dropped: 0, destroyed: 0, ...this.#index.note<Partial<RemovedCaptures>>(removedName) }
  }

  /** Captures that nobody took out. */
  get missing(): number {
    return this.#missing + (this.#index.note<number>(uncountedName) ?? 0)
  }

  /** Inside an index change. */
  countRemoved({ dropped, destroyed }: RemovedCaptures): void {
    const before = this.removed
    const removed = { dropped: before.dropped + dropped, destroyed: before.destroyed + destroyed }
    this.#index.putNote(removedName, removed)
  }

  /** Inside the index change in which it comes. */
  added(recordId: Uint8Array): void {
    if (!this.#mayMiss) return
    if (this.#missing === 0) this.#mayMiss = false
    else if (this.#index.missing.remove(recordId)) this.#index.putNote(missingName, this.#missing - 1)
  }

  /** Inside an index change: of those of an earlier index that are not in this one. */
  miss(recordIds: readonly Uint8Array[]): void {
    const table = this.#index.missing
    const fresh = recordIds.filter((id) => table.get(id) === undefined)
    for (const id of fresh) table.put(id, new Uint8Array(0))
    this.#index.putNote(missingName, this.#missing + fresh.length)
    this.#mayMiss = true
  }

  missed(): Iterable<Uint8Array> {
    return this.#missing === 0 ? [] : [...this.#index.missing.range()].map(([id]) => id)
  }

  /** Somebody counted the entries, and found so many fewer than there are to be. */
  async counted(fewer: number): Promise<void> {
    if (fewer === (this.#index.note<number>(uncountedName) ?? 0)) return
    await this.#index.changeForGood(() => this.#index.putNote(uncountedName, fewer))
  }

  get #missing(): number {
    return this.#index.note<number>(missingName) ?? 0
  }
}
