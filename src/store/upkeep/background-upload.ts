// Background upload: a store that is open for long moves its closed volumes to its bucket, if it has one that takes some.
//
// A bucket that is away is asked again after a while; until then volumes stay where they are.

import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import type { Store } from '../store.ts'

interface Needs {
  readonly store: Pick<Store, 'uploadClosed'>
  readonly clock: Clock
  readonly log: Log
}

const everyMs = 60_000
const againMs = 600_000

export class BackgroundUpload {
  readonly #needs: Needs
  readonly #stop = new AbortController()
  #uploads: PeriodicTask | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  start(): void {
    this.#uploads ??= new PeriodicTask(this.#needs, everyMs, () => this.#upload(), { firstMs: 0 })
  }

  /** Before the store is closed. An upload under way goes on next time. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#uploads?.close()
  }

  async #upload(): Promise<void> {
    const { store, log } = this.#needs
    const { signal } = this.#stop
    try {
      const report = await store.uploadClosed(signal)
      const [left] = report?.left ?? []
      if (left === undefined) return
      log.warn({ path: left.path, why: left.reason }, 'A closed volume could not be moved to the bucket yet')
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: error }, 'Moving closed volumes to the bucket failed, and is tried again')
    }
    this.#uploads?.runIn(againMs)
  }
}
