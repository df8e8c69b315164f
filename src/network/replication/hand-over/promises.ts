// Promises: sites of which we promised to keep our copies, so that another peer can drop its own. In memory only: after a start
// nothing is dropped until promises of before have expired.

import { type RingKey, ringKeyBytes, ringKeyFromBytes } from '../../../model/ring-key.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { HeldCaptures } from '../captures/held-captures.ts'
import { type CopyPlaces, placeOf } from '../captures/places.ts'

export const promiseMs = 3_600_000
/** A peer that got our promise has acted on it by then. */
const actedOnMs = 20_000
/** Beyond so many sites nothing is dropped at all, for a while. */
const sitesMax = 100_000

export class Promises {
  readonly #held: HeldCaptures
  readonly #places: CopyPlaces
  readonly #clock: Clock
  readonly #untilMs = new Map<RingKey, number>()
  readonly #promiseMs: number
  #allUntilMs: number
  #lastGivenMs = Number.NEGATIVE_INFINITY
  #isWithheld = false

  constructor(needs: { held: HeldCaptures; places: CopyPlaces; clock: Clock }, lastsMs = promiseMs) {
    this.#held = needs.held
    this.#places = needs.places
    this.#clock = needs.clock
    this.#promiseMs = lastsMs
    this.#allUntilMs = needs.clock.monotonicMs() + lastsMs
  }

  /** Promises to keep those that are here and ours to keep. */
  async give(keys: readonly Uint8Array[]): Promise<boolean[]> {
    const flags = keys.map((key) => {
      const site = siteOf(key)
      const place = placeOf(this.#places, key)
      if (this.#isWithheld || this.#held.roster.cursorOf(key) === undefined) return false
      if (!this.#places.fullSet(place).includes(this.#places.self)) return false
      this.#keep(site)
      return true
    })
    // What we have seen is durable after that.
    await this.#held.flush()
    return flags
  }

  /** For leaving: gives no more promises. Resolves when nobody acts on earlier ones any more. */
  async withhold(signal: AbortSignal): Promise<void> {
    this.#isWithheld = true
    const waitMs = this.#lastGivenMs + actedOnMs - this.#clock.monotonicMs()
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal)
  }

  /** We stay after all. */
  resume(): void {
    this.#isWithheld = false
  }

  isGiven(key: Uint8Array): boolean {
    const nowMs = this.#clock.monotonicMs()
    return nowMs < this.#allUntilMs || nowMs < (this.#untilMs.get(siteOf(key)) ?? 0)
  }

  #keep(site: RingKey): void {
    this.#lastGivenMs = this.#clock.monotonicMs()
    const untilMs = this.#lastGivenMs + this.#promiseMs
    this.#untilMs.delete(site)
    this.#untilMs.set(site, untilMs)
    if (this.#untilMs.size <= sitesMax) return
    this.#untilMs.clear()
    this.#allUntilMs = untilMs
  }
}

function siteOf(key: Uint8Array): RingKey {
  return ringKeyFromBytes(key.subarray(0, ringKeyBytes))
}
