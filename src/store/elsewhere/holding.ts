// Contents that captures of other peers need: held here, whatever becomes of the captures that they came with.
//
// A hold is a reference like a capture's, one for each content: a takedown hides what it names and leaves the bytes to those
// who still need them, and no delete, drop or compaction ends them before the hold is let go. Holding twice is holding once.

import type { Digest } from '../../record/digest.ts'
import type { ContentKey } from '../content-key.ts'
import { contentTableKey } from '../index/content-entry.ts'
import type { Ledger } from '../index/ledger.ts'
import type { SharedChanges } from '../index/shared-changes.ts'
import type { StoreIndex } from '../index/store-index.ts'

interface Needs {
  index: StoreIndex
  ledger: Ledger
  changes: SharedChanges
}

export class Holding {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** For each whether it is here, whole, and held for good. */
  async hold(digests: readonly Digest[]): Promise<boolean[]> {
    const { changes, ledger } = this.#needs
    const keys = digests.map((digest) => this.#soundHere(digest))
    if (keys.every((key) => key === undefined || this.#isHeld(key)))
      return keys.map((key) => key !== undefined)
    return changes.changeForGood(() => keys.map((key) => key !== undefined && ledger.hold(key)))
  }

  async letGo(digests: readonly Digest[]): Promise<void> {
    const { changes, ledger } = this.#needs
    const keys = digests.map((digest) => ({ digest, overflow: 0 })).filter((key) => this.#isHeld(key))
    if (keys.length === 0) return
    await changes.changeForGood(() => {
      for (const key of keys) ledger.letGo(key)
    })
  }

  #isHeld(key: ContentKey): boolean {
    return this.#needs.index.held.get(contentTableKey(key)) !== undefined
  }

  /** The first of its digest: others are told apart by what nobody else knows. */
  #soundHere(digest: Digest): ContentKey | undefined {
    const key = { digest, overflow: 0 }
    const entry = this.#needs.index.content(key)
    return entry === undefined || entry.isDamaged ? undefined : key
  }
}
