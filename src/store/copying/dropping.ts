// Drops captures that others keep: they are forgotten here, as if they had never come. Unlike a takedown this hides nothing,
// and they may come again.

import type { Ledger } from '../index/ledger.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { keyOfCursor } from '../reading/capture-finder.ts'

export class Dropping {
  readonly #index: StoreIndex
  readonly #ledger: Ledger

  constructor(needs: { index: StoreIndex; ledger: Ledger }) {
    this.#index = needs.index
    this.#ledger = needs.ledger
  }

  /** All in one change. Gives how many were here. */
  drop(cursors: readonly string[]): Promise<number> {
    return this.#index.changeForGood(() => {
      let count = 0
      for (const cursor of cursors) {
        const key = keyOfCursor(cursor)
        const entry = this.#index.capture(key)
        if (entry === undefined) continue
        this.#ledger.removeCapture(key, entry, 'dropped')
        count++
      }
      return count
    })
  }
}
