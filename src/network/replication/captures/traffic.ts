// Counts the bytes of captures that come and go, and how many a second lately.

import type { Clock } from '../../../platform/clock.ts'

const windowMs = 10_000

export class Traffic {
  readonly #clock: Clock
  bytesIn = 0
  bytesOut = 0
  #windowStartMs: number
  #windowBytes = 0
  #lastRate = 0

  constructor(needs: { clock: Clock }) {
    this.#clock = needs.clock
    this.#windowStartMs = needs.clock.monotonicMs()
  }

  /** Bytes a second, in and out. */
  get ratePerSecond(): number {
    this.#turn()
    const elapsedMs = this.#clock.monotonicMs() - this.#windowStartMs
    return elapsedMs < windowMs / 2 ? this.#lastRate : (1_000 * this.#windowBytes) / elapsedMs
  }

  countIn(bytes: number): void {
    this.bytesIn += bytes
    this.#count(bytes)
  }

  countOut(bytes: number): void {
    this.bytesOut += bytes
    this.#count(bytes)
  }

  #count(bytes: number): void {
    this.#turn()
    this.#windowBytes += bytes
  }

  #turn(): void {
    const nowMs = this.#clock.monotonicMs()
    const elapsedMs = nowMs - this.#windowStartMs
    if (elapsedMs < windowMs) return
    this.#lastRate = (1_000 * this.#windowBytes) / elapsedMs
    this.#windowBytes = 0
    this.#windowStartMs = nowMs
  }
}
