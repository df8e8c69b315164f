// Walk timing: when the next walk round the ring begins.
//
// When `ageMsMax` have passed since the last one that new links led to; or when there are enough new ones for a good batch to each
// owner that is known; or when it was said that something is to be tried again. Never when nothing waits. So links are sent at
// once when few are found, and in company when many are; none waits for longer than `ageMsMax`.

import type { Clock, Timer } from '../../platform/clock.ts'

/** Those of a page, and of pages that are fetched side by side, go together. */
const togetherMsMax = 50

interface WalkTimingOptions {
  readonly ageMsMax: number
  /** Characters of new links that are enough. */
  readonly enoughChars: () => number
  readonly hasWaiting: () => boolean
}

export class WalkTiming {
  readonly #clock: Clock
  readonly #options: WalkTimingOptions
  #freshChars = 0
  #freshSinceMs = Number.POSITIVE_INFINITY
  /** When the last walk with new links began. */
  #walkedAtMs = Number.NEGATIVE_INFINITY
  #againAtMs = Number.POSITIVE_INFINITY
  #isClosed = false
  #wake: () => void = () => {}

  constructor(clock: Clock, options: WalkTimingOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** New links wait, of so many characters. */
  noteAdded(chars: number): void {
    this.#freshChars += chars
    this.#freshSinceMs = Math.min(this.#freshSinceMs, this.#clock.monotonicMs())
    this.#wake()
  }

  /** By the monotonic clock. */
  scheduleAt(ms: number): void {
    this.#againAtMs = Math.min(this.#againAtMs, ms)
    this.#wake()
  }

  scheduleIn(ms: number): void {
    this.scheduleAt(this.#clock.monotonicMs() + ms)
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  /** Resolves when a walk is due, or at once when closed; says whether there is enough for everybody. What led to it is forgotten. */
  async due(): Promise<{ isEnough: boolean }> {
    for (;;) {
      const waitMs = this.#dueMs() - this.#clock.monotonicMs()
      if (waitMs <= 0 || this.#isClosed) break
      let timer: Timer | undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        if (waitMs !== Number.POSITIVE_INFINITY) timer = this.#clock.after(waitMs, resolve)
      })
      timer?.cancel()
    }
    if (this.#freshSinceMs !== Number.POSITIVE_INFINITY) this.#walkedAtMs = this.#clock.monotonicMs()
    const isEnough = this.#isEnough()
    this.#freshChars = 0
    this.#freshSinceMs = Number.POSITIVE_INFINITY
    this.#againAtMs = Number.POSITIVE_INFINITY
    return { isEnough }
  }

  #isEnough(): boolean {
    return this.#freshChars >= this.#options.enoughChars()
  }

  #dueMs(): number {
    const { ageMsMax, hasWaiting } = this.#options
    if (!hasWaiting()) return Number.POSITIVE_INFINITY
    if (this.#isEnough()) return 0
    const togetherMs = this.#freshSinceMs + Math.min(ageMsMax, togetherMsMax)
    return Math.min(Math.max(togetherMs, this.#walkedAtMs + ageMsMax), this.#againAtMs)
  }
}
