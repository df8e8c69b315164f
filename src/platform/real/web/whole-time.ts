// The time that a fetch has for all that comes before its exchange, and the signals that may end it.

import type { Clock, Timer } from '../../clock.ts'

export class WholeTime {
  readonly #controller = new AbortController()
  readonly #over = new Error('out of time')
  readonly #timer: Timer
  readonly #others: readonly AbortSignal[]
  readonly #abort: (event: Event) => void

  constructor(clock: Clock, untilMs: number, others: readonly (AbortSignal | undefined)[]) {
    this.#others = others.filter((signal) => signal !== undefined)
    this.#timer = clock.after(Math.max(0, untilMs - clock.monotonicMs()), () =>
      this.#controller.abort(this.#over),
    )
    this.#abort = (event) => this.#controller.abort((event.target as AbortSignal).reason)
    for (const signal of this.#others) signal.addEventListener('abort', this.#abort, { once: true })
  }

  /** Aborted when the time is over, and with the others. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether it was the time that ended it. */
  isOver(error: unknown): boolean {
    return error === this.#over
  }

  /** What the promise gives, unless the time is over first; then the promise is left alone. */
  within<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(this.signal.reason)
      if (this.signal.aborted) abort()
      this.signal.addEventListener('abort', abort, { once: true })
      promise.then(resolve, reject)
    })
  }

  /** Leaves nothing behind. */
  end(): void {
    this.#timer.cancel()
    for (const signal of this.#others) signal.removeEventListener('abort', this.#abort)
  }
}
