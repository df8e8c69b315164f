// Store upkeep: long work on the store that the owner begins from the console and that goes on by itself: one task at a time.

import { PolyhistorError } from '../errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Store } from '../store/store.ts'
import { ActionError } from './action-error.ts'

export type UpkeepTask = 'scrub' | 'compact'

export interface UpkeepState {
  readonly task: UpkeepTask
  readonly startedAtMs: number
  /** 0 to 1; of a task that is over, what came of it is in words. */
  readonly share: number
  readonly outcome: string | undefined
}

interface Needs {
  readonly store: Pick<Store, 'scrub' | 'compact'>
  readonly clock: Clock
  readonly log: Log
}

export class StoreUpkeep {
  readonly #needs: Needs
  readonly #stop = new AbortController()
  #state: UpkeepState | undefined
  #running: Promise<void> | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Of the last one; undefined when there was none. */
  get state(): UpkeepState | undefined {
    return this.#state
  }

  start(task: UpkeepTask): void {
    if (this.#running !== undefined)
      throw new ActionError(
        'action-not-here',
        'Something is being done to the store already. Wait until it is over.',
      )
    this.#state = { task, startedAtMs: this.#needs.clock.nowMs(), share: 0, outcome: undefined }
    this.#running = this.#run(task).finally(() => {
      this.#running = undefined
    })
  }

  /** Before the store is closed. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(task: UpkeepTask): Promise<void> {
    try {
      this.#end(await this.#work(task))
    } catch (error) {
      if (this.#stop.signal.aborted) return
      if (!(error instanceof PolyhistorError)) throw error
      this.#needs.log.warn({ err: error, task }, 'Upkeep of the store failed')
      this.#end(`It failed: ${error.message}`)
    }
  }

  async #work(task: UpkeepTask): Promise<string> {
    const { store } = this.#needs
    const watch = {
      signal: this.#stop.signal,
      progress: ({ doneBytes, totalBytes }: { doneBytes: number; totalBytes: number }) => {
        this.#state = { ...this.#state!, share: totalBytes === 0 ? 1 : Math.min(1, doneBytes / totalBytes) }
      },
    }
    if (task === 'scrub') {
      const { records, damagedCount, repaired } = await store.scrub(watch)
      return `${records} records read; ${damagedCount} damaged, ${repaired} of them mended.`
    }
    const { volumes, freedBytes } = await store.compact(watch)
    return `${volumes} volumes rewritten, ${freedBytes} bytes given back.`
  }

  #end(outcome: string): void {
    this.#state = { ...this.#state!, share: 1, outcome }
  }
}
