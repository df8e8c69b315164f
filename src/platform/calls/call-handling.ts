// A question that is being worked on: what its handler may know of it.
//
// Invariant: once cancelled, by the caller or by its deadline, its answer is dropped.

import type { Clock, Timer } from '../clock.ts'
import type { Channel } from '../network/network.ts'

/** What a handler may know of the call besides its question. */
export interface CallContext {
  readonly channel: Channel
  /** Aborted when the asker has given up, or its deadline has passed. */
  readonly signal: AbortSignal
  /** The same, without asking for a signal. */
  readonly isCancelled?: boolean
}

export class Handling implements CallContext {
  readonly channel: Channel
  readonly #deadlineMs: number
  readonly #clock: Clock
  #controller: AbortController | undefined
  #timer: Timer | undefined
  #isCancelled = false

  constructor(channel: Channel, deadlineMs: number, clock: Clock) {
    this.channel = channel
    this.#deadlineMs = deadlineMs
    this.#clock = clock
  }

  get isCancelled(): boolean {
    return this.#isCancelled
  }

  /** Made when it is asked for: most answers are there at once. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#isCancelled) this.#controller.abort()
      else this.#timer = this.#clock.after(this.#deadlineMs, () => this.cancel())
    }
    return this.#controller.signal
  }

  cancel(): void {
    this.#isCancelled = true
    this.end()
    this.#controller?.abort()
  }

  end(): void {
    this.#timer?.cancel()
  }
}
