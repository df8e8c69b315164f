// Fence: until when a host may be asked for somebody else. Its signal ends whatever is under way then.

import type { Clock, Timer } from '../platform/clock.ts'

export class Fence {
  readonly #clock: Clock
  readonly #controller = new AbortController()
  #timer: Timer | undefined

  /** `sinceMs`: by the monotonic clock, not later than when the other began to count. */
  constructor(needs: { clock: Clock }, sinceMs: number, lengthMs: number) {
    this.#clock = needs.clock
    this.extend(sinceMs, lengthMs)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  extend(sinceMs: number, lengthMs: number): void {
    if (this.signal.aborted) return
    const leftMs = sinceMs + lengthMs - this.#clock.monotonicMs()
    this.#timer?.cancel()
    if (leftMs <= 0) this.#controller.abort(new FenceReached())
    else this.#timer = this.#clock.after(leftMs, () => this.#controller.abort(new FenceReached()))
  }

  /** Now. */
  close(): void {
    this.#timer?.cancel()
    if (!this.signal.aborted) this.#controller.abort(new FenceReached())
  }
}

export class FenceReached extends Error {
  constructor() {
    super('The host may not be asked any longer')
  }
}
