// Patience: how long to leave a peer alone that did not answer, or a site that was not ready, longer each time, each time by
// chance a little different.
//
// Bounded: remembers `namesMax`; who is forgotten is tried again at once.

import { LruCache } from '../../model/lru-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'

export interface PatienceOptions {
  readonly firstMs: number
  readonly longestMs: number
}

const namesMax = 10_000
const doublingsMax = 30

export class Patience<Name extends string> {
  readonly #clock: Clock
  readonly #random: Random
  readonly #options: PatienceOptions
  readonly #waiting = new LruCache<Name, { failures: number; untilMs: number }>({ max: namesMax })

  constructor(needs: { clock: Clock; random: Random }, options: PatienceOptions) {
    this.#clock = needs.clock
    this.#random = needs.random
    this.#options = options
  }

  /** How many are being waited for. */
  get size(): number {
    return this.#waiting.size
  }

  /** When it may be tried again, by the monotonic clock; undefined when it may be now. */
  untilMs(name: Name): number | undefined {
    const waiting = this.#waiting.get(name)
    return waiting !== undefined && waiting.untilMs > this.#clock.monotonicMs() ? waiting.untilMs : undefined
  }

  /** Who may not be tried now. */
  *leftAlone(): Iterable<Name> {
    const nowMs = this.#clock.monotonicMs()
    for (const [name, { untilMs }] of this.#waiting.entries()) if (untilMs > nowMs) yield name
  }

  failed(name: Name): number {
    const failures = 1 + (this.#waiting.get(name)?.failures ?? 0)
    const { firstMs, longestMs } = this.#options
    const delayMs = Math.min(longestMs, firstMs * 2 ** Math.min(doublingsMax, failures - 1))
    const untilMs = this.#clock.monotonicMs() + delayMs * (0.5 + this.#random.fraction() / 2)
    this.#waiting.set(name, { failures, untilMs })
    return untilMs
  }

  answered(name: Name): void {
    this.#waiting.delete(name)
  }
}
