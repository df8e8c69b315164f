// Steady clock: wall time that runs evenly from when the process started, so that setting the machine's clock neither
// makes a host be asked too early nor keeps it waiting. Times that an earlier process stored may still lie in the future: whoever
// reads them bounds them by the delay that they stand for.

import type { Clock } from './clock.ts'

export class SteadyClock {
  readonly #clock: Clock
  readonly #offsetMs: number

  constructor(clock: Clock) {
    this.#clock = clock
    this.#offsetMs = clock.nowMs() - clock.monotonicMs()
  }

  nowMs(): number {
    return this.#offsetMs + this.#clock.monotonicMs()
  }
}
