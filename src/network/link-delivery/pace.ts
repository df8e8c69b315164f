// Pace: a peer that got a batch just now gets the next one when there is a full one, or after a while, so that links travel in
// company whatever leads to walks that come by more often.
//
// Who is due soon is served along with who is due now: else each of many peers would have walks of its own.
//
// Bounded: remembers `peersMax`; who is forgotten may be served at once.

import { LruCache } from '../../model/lru-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'

const peersMax = 1_000
/** Of `ageMsMax`: so at most four walks in that time are for the sake of pace. */
const soonShare = 1 / 4

export class Pace {
  readonly #clock: Clock
  readonly #ageMsMax: number
  readonly #untilMs = new LruCache<PeerId, number>({ max: peersMax })

  constructor(clock: Clock, ageMsMax: number) {
    this.#clock = clock
    this.#ageMsMax = ageMsMax
  }

  /** When it may be served next, by the monotonic clock; undefined when it may be now. */
  untilMs(peer: PeerId): number | undefined {
    const untilMs = this.#untilMs.get(peer)
    if (untilMs === undefined) return undefined
    const waitMs = untilMs - this.#clock.monotonicMs()
    return waitMs > soonShare * this.#ageMsMax ? untilMs : undefined
  }

  /** A batch is on its way that was all there is. */
  noteSent(peer: PeerId): void {
    this.#untilMs.set(peer, this.#clock.monotonicMs() + this.#ageMsMax)
  }

  /** Something is left of what it was brought. */
  release(peer: PeerId): void {
    this.#untilMs.delete(peer)
  }
}
