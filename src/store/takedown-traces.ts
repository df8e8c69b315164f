// Traces that a takedown leaves in the records of others: revisits of a page with the same payload name the URL that had
// it first. Finds the volumes that hold such revisits, so that compaction rewrites them.
//
// Only a walk over the index tells who shares a payload, so it is put off from the takedown to the next compaction.

import type { Clock } from '../world/clock.ts'
import type { Ledger } from './index/ledger.ts'
import type { StoreIndex } from './index/store-index.ts'

const noteName = 'takedownTraces'
const entriesPerTurn = 500

export class TakedownTraces {
  readonly #index: StoreIndex
  readonly #ledger: Ledger
  readonly #clock: Clock

  constructor(needs: { index: StoreIndex; ledger: Ledger; clock: Clock }) {
    this.#index = needs.index
    this.#ledger = needs.ledger
    this.#clock = needs.clock
  }

  /** Inside the index change that carries out a takedown. */
  mayExist(): void {
    this.#index.putNote(noteName, (this.#index.note<number>(noteName) ?? 0) + 1)
  }

  /** Calls the volumes urgent that hold traces. */
  async find(signal?: AbortSignal): Promise<void> {
    const count = this.#index.note<number>(noteName)
    if (count === undefined) return
    await this.#walk(signal)
    await this.#index.changeForGood(() => {
      // A takedown while we walked asks for another walk.
      if (this.#index.note(noteName) === count) this.#index.removeNote(noteName)
    })
  }

  async #walk(signal?: AbortSignal): Promise<void> {
    for (let from: Uint8Array = Buffer.from([0]); ; ) {
      const page = [...this.#index.captures({ from, limit: entriesPerTurn })]
      const volumes = new Set<number>()
      for (const [, { kind, content, location }] of page) {
        if (kind !== 'same' && kind !== 'not-modified') continue
        if (content && this.#index.content(content)?.isOrphaned) volumes.add(location.volume)
      }
      if (volumes.size > 0) {
        await this.#index.change(() => {
          for (const volume of volumes) this.#ledger.markUrgent(volume)
        })
      }
      if (page.length < entriesPerTurn) return
      from = Buffer.concat([page.at(-1)![0], Buffer.from([0])])
      await this.#clock.sleep(0, signal)
    }
  }
}
