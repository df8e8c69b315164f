// Captures of our store that readers or a scrub found damaged are made whole again with other peers' bytes, one after the other.
//
// First as a scrub repairs them, in their place. Where that cannot be done, because the others' records are not the same to the
// byte, the capture is dropped and taken anew; not before the new one is here and verified. Between the two the store lacks it:
// whoever would read from the store alone asks `isReplacing` first.
// Bounded: while many wait, more are not noted; the scrub, or the next reader, finds them again.

import type { Log } from '../../../platform/log.ts'
import type { Capture } from '../../../store/capture.ts'
import type { Store } from '../../../store/store.ts'
import type { FetchedRecords } from './fetched-records.ts'

interface Needs {
  readonly store: Store
  readonly log: Log
  /** The capture with its payload, from another peer. */
  fetch(capture: Capture): Promise<FetchedRecords>
}

const waitingMax = 1_000

export class CaptureRepair {
  readonly #needs: Needs
  readonly #waiting = new Map<string, Capture>()
  #work: Promise<void> | undefined
  #isReplacing = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** One of the store's own. */
  enqueue(capture: Capture): void {
    if (this.#waiting.size >= waitingMax) return
    this.#waiting.set(capture.cursor, capture)
    this.#work ??= this.#mendAll()
  }

  /** The store lacks a capture that it is about to have again. */
  get isReplacing(): boolean {
    return this.#isReplacing
  }

  /** Resolves when nothing waits. */
  async waitUntilDone(): Promise<void> {
    await this.#work
  }

  async #mendAll(): Promise<void> {
    for (const [cursor, capture] of this.#waiting) {
      try {
        await this.#mend(capture)
      } catch (error) {
        // What keeps it from being mended, such as a full disk or a closing store, is others' to tell.
        this.#needs.log.warn({ err: error, url: capture.url }, 'A damaged capture was not mended')
      }
      this.#waiting.delete(cursor)
    }
    this.#work = undefined
  }

  async #mend(capture: Capture): Promise<void> {
    const { store, log } = this.#needs
    const { damaged, damagedCount, repaired } = await store.scrubCapture(capture.cursor)
    if (damagedCount > repaired) {
      await this.#replace(capture)
      await store.mended(damaged)
    }
    if (damagedCount > 0)
      log.info({ url: capture.url }, 'A damaged capture was mended with the bytes of other peers')
  }

  async #replace(capture: Capture): Promise<void> {
    const { store } = this.#needs
    const records = await this.#needs.fetch(capture)
    this.#isReplacing = true
    try {
      await store.drop([capture.cursor])
      await store.take(records.copy(), { admit: ({ importedBy }) => ({ importedBy, heardAtMs: 0 }) })
    } finally {
      this.#isReplacing = false
      await records.discard()
    }
  }
}
