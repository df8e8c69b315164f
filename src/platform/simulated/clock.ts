// A machine's clock on virtual time: it may be wrong, run fast or slow, and be set.
//
// Invariants: monotonicMs() never goes back, also when the wall clock is set; timers follow the machine's own rate.

import { type Clock, sleepOn, type Timer } from '../clock.ts'
import { Life } from './life.ts'
import { type Simulation, tickMs } from './simulation.ts'

/** The moment at which simulations begin, for a clock that is right: 2030-01-01. */
export const wallStartMs = Date.UTC(2030, 0, 1)

/** The machine's part, which outlives a process: how wrong its clock is. */
export class ClockFaults {
  /** How far the wall clock is ahead. */
  offsetMs = 0
  /** 1.001 gains a millisecond per second. Not to be changed while a process runs. */
  rate = 1

  /** Sets the wall clock. */
  jump(byMs: number): void {
    this.offsetMs += byMs
  }
}

export class SimulatedClock implements Clock {
  readonly #simulation: Simulation
  readonly #life: Life
  readonly #faults: ClockFaults
  readonly #startMs: number

  constructor(needs: { simulation: Simulation; life?: Life; faults?: ClockFaults }) {
    this.#simulation = needs.simulation
    this.#life = needs.life ?? new Life()
    this.#faults = needs.faults ?? new ClockFaults()
    this.#startMs = needs.simulation.nowMs
  }

  nowMs(): number {
    return Math.floor(wallStartMs + this.#faults.offsetMs + this.#simulation.nowMs * this.#faults.rate)
  }

  monotonicMs(): number {
    return (this.#simulation.nowMs - this.#startMs) * this.#faults.rate
  }

  after(delayMs: number, task: () => void): Timer {
    // A rate other than 1 rounds: one tick more is never too early.
    const delay = this.#faults.rate === 1 ? delayMs : delayMs / this.#faults.rate + tickMs
    return this.#simulation.after(delay, () => {
      if (!this.#life.isOver) task()
    })
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }
}
