// Back-offs: exponential back-off with jitter, one per peer that did not answer or site that was not ready.
//
// Bounded: remembers `namesMax`; forgotten ones are retried at once.

import { type BackOff, backOffMs } from '../../model/back-off.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import { jittered, type Random } from '../../platform/random.ts'

const namesMax = 10_000

export class BackOffs<Name extends string> {
  readonly #clock: Clock
  readonly #random: Random
  readonly #backOff: BackOff
  readonly #waiting = new LruCache<Name, { failures: number; untilMs: number }>({ max: namesMax })

  constructor(needs: { clock: Clock; random: Random }, backOff: BackOff) {
    this.#clock = needs.clock
    this.#random = needs.random
    this.#backOff = backOff
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

  /** Those that must not be retried yet. */
  *leftAlone(): Iterable<Name> {
    const nowMs = this.#clock.monotonicMs()
    for (const [name, { untilMs }] of this.#waiting.entries()) if (untilMs > nowMs) yield name
  }

  noteFailure(name: Name): number {
    const failures = 1 + (this.#waiting.get(name)?.failures ?? 0)
    const delayMs = 0.75 * backOffMs(this.#backOff, failures)
    const untilMs = this.#clock.monotonicMs() + jittered(delayMs, 1 / 3, this.#random)
    this.#waiting.set(name, { failures, untilMs })
    return untilMs
  }

  noteSuccess(name: Name): void {
    this.#waiting.delete(name)
  }
}
