// Changes of the index alone, many callers to a commit and a flush: puts of what is known, deletes.
//
// Invariant: an action that throws undoes nothing but itself. Together with others it would undo them, too: then each is
// done by itself. While one group is flushed the next is committed.

import { KeyValueError } from '../../platform/storage/key-value.ts'
import type { StoreIndex } from './store-index.ts'

interface Waiting {
  action(): unknown
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** Bounds the time that readers and other changes wait for one commit. */
const groupMax = 1_000

export class SharedChanges {
  readonly #index: StoreIndex
  #waiting: Waiting[] = []
  #isRunning = false

  constructor(needs: { index: StoreIndex }) {
    this.#index = needs.index
  }

  /** Resolves when what the action did is durable. The action may run more than once; only its last run counts. */
  changeForGood<T>(action: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ action, resolve: resolve as (result: unknown) => void, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) await this.#runGroup()
    this.#isRunning = false
  }

  async #runGroup(): Promise<void> {
    let group: Waiting[] = []
    try {
      const results = await this.#index.change(() => {
        // Only now, so that all who came until now are in it.
        group = this.#waiting.splice(0, groupMax)
        return group.map(({ action }) => action())
      })
      void this.#acknowledge(group, results)
    } catch (error) {
      if (group.length === 0) group = this.#waiting.splice(0)
      if (group.length === 1 || error instanceof KeyValueError) for (const { reject } of group) reject(error)
      else for (const waiting of group) await this.#runAlone(waiting)
    }
  }

  async #acknowledge(group: Waiting[], results: unknown[]): Promise<void> {
    try {
      await this.#index.flush()
      for (const [place, { resolve }] of group.entries()) resolve(results[place])
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  async #runAlone({ action, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.#index.changeForGood(action))
    } catch (error) {
      reject(error)
    }
  }
}
