// Company: who comes soon after another waits a moment, and goes on together with all who came meanwhile.
//
// The first goes on at once, so that nobody waits where little happens; and when enough wait, they do not wait any longer.

import type { Clock, Timer } from './clock.ts'

export interface CompanyOptions {
  /** At least this long lies between two departures. */
  readonly everyMs: number
  /** So many go at once. */
  readonly enough: number
}

export class Company {
  readonly #clock: Clock
  readonly #options: CompanyOptions
  #waiting: (() => void)[] = []
  #nextMs = Number.NEGATIVE_INFINITY
  #timer: Timer | undefined

  constructor(needs: { clock: Clock }, options: CompanyOptions) {
    this.#clock = needs.clock
    this.#options = options
  }

  /** Resolves when it is time to go on. */
  joined(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      const waitMs = this.#nextMs - this.#clock.monotonicMs()
      if (waitMs <= 0 || this.#waiting.length >= this.#options.enough) this.#go()
      else this.#timer ??= this.#clock.after(waitMs, () => this.#go())
    })
  }

  #go(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#nextMs = this.#clock.monotonicMs() + this.#options.everyMs
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
