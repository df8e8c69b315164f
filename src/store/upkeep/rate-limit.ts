// Rate limit: keeps work to so many bytes a second, on average, by sleeping.

import type { Clock } from '../../platform/clock.ts'

/** What may be saved up: after a pause the disk is not hit for long at full speed. */
const savedMsMax = 1_000

export class RateLimit {
  readonly #clock: Clock
  readonly #bytesPerSecond: () => number
  /** Until when the bytes taken so far last. */
  #paidUntilMs: number

  /** Infinity: no limit. A function where it may change. */
  constructor(needs: { clock: Clock }, bytesPerSecond: number | (() => number)) {
    this.#clock = needs.clock
    this.#bytesPerSecond = typeof bytesPerSecond === 'number' ? () => bytesPerSecond : bytesPerSecond
    this.#paidUntilMs = needs.clock.monotonicMs()
  }

  /** Resolves when it is time to go on after this many bytes. */
  async take(bytes: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const nowMs = this.#clock.monotonicMs()
    const takesMs = bytes / (this.#bytesPerSecond() / 1_000)
    this.#paidUntilMs = Math.max(this.#paidUntilMs, nowMs - savedMsMax) + takesMs
    if (this.#paidUntilMs > nowMs) await this.#clock.sleep(this.#paidUntilMs - nowMs, signal)
  }
}
