// A task that is done again and again: its period is counted from the end of one run to the beginning of the next, so that runs
// never overlap. With jitter, peers that started together do not stay in step.
//
// A run that fails in an expected way (a PolyhistorError: a disk or a network in trouble) is left at that; the next may do better.

import { PolyhistorError } from '../errors.ts'
import type { Clock, Timer } from './clock.ts'
import { jittered, type Random } from './random.ts'

export interface PeriodicOptions {
  /** Until the first run; a period when not given. */
  readonly firstMs?: number
  /** The share of the period by which it may be shorter or longer. */
  readonly jitter?: { readonly share: number; readonly random: Random }
}

export class PeriodicTask {
  readonly #clock: Clock
  readonly #periodMs: number
  readonly #task: () => void | Promise<void>
  readonly #jitter: PeriodicOptions['jitter']
  #timer: Timer | undefined
  #dueMs = 0
  #running: Promise<void> | undefined
  /** Asked for during a run: the pause after it. */
  #pauseMs: number | undefined
  #isClosed = false

  constructor(
    needs: { readonly clock: Clock },
    periodMs: number,
    task: () => void | Promise<void>,
    { firstMs = periodMs, jitter }: PeriodicOptions = {},
  ) {
    this.#clock = needs.clock
    this.#periodMs = periodMs
    this.#task = task
    this.#jitter = jitter
    this.runIn(firstMs)
  }

  /** The next run is after this pause, from now or from the end of the run under way; those after it by the period again. */
  runIn(pauseMs: number): void {
    if (this.#isClosed) return
    if (this.#running !== undefined) {
      this.#pauseMs = pauseMs
      return
    }
    this.#timer?.cancel()
    this.#dueMs = this.#clock.monotonicMs() + pauseMs
    this.#timer = this.#clock.after(pauseMs, () => {
      this.#running = this.#run()
    })
  }

  /** The same, unless the next run is earlier anyway. */
  runWithin(pauseMs: number): void {
    const leftMs = this.#running === undefined ? this.#dueMs - this.#clock.monotonicMs() : this.#pauseMs
    if (leftMs === undefined || pauseMs < leftMs) this.runIn(pauseMs)
  }

  /** Resolves when the run under way has ended; the caller has to abort that itself. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    await this.#running
  }

  async #run(): Promise<void> {
    try {
      await this.#task()
    } catch (error) {
      // What was cut short fails as it likes.
      if (!(error instanceof PolyhistorError) && !this.#isClosed) throw error
    }
    this.#running = undefined
    const pauseMs = this.#pauseMs ?? this.#nextPeriodMs()
    this.#pauseMs = undefined
    this.runIn(pauseMs)
  }

  #nextPeriodMs(): number {
    if (this.#jitter === undefined) return this.#periodMs
    return jittered(this.#periodMs, this.#jitter.share, this.#jitter.random)
  }
}
