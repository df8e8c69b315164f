// How fast peers answer, to decide which is asked first.
//
// Measured from answers; before the first one, the ring's round-trip time. Peers that failed lately come last, and get another
// chance after a while.
// Bounded: the peer not asked for longest is forgotten.

import { LruCache } from '../../model/lru-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'

interface Speed {
  answerMs: number | undefined
  failedAtMs: number
}

const peersMax = 1_000
/** How much the newest answer counts. */
const weight = 0.3
const disgraceMs = 20_000
/** Of whom nothing is known. */
const unknownMs = 100

export class PeerSpeeds {
  readonly #clock: Clock
  readonly #roundTripMs: (peer: PeerId) => number | undefined
  readonly #speeds = new LruCache<PeerId, Speed>({ max: peersMax })

  constructor(needs: { clock: Clock; roundTripMs?: ((peer: PeerId) => number | undefined) | undefined }) {
    this.#clock = needs.clock
    this.#roundTripMs = needs.roundTripMs ?? (() => undefined)
  }

  noteAnswer(peer: PeerId, answerMs: number): void {
    const speed = this.#of(peer)
    const before = speed.answerMs ?? answerMs
    speed.answerMs = before + weight * (answerMs - before)
    speed.failedAtMs = Number.NEGATIVE_INFINITY
  }

  noteFailure(peer: PeerId): void {
    this.#of(peer).failedAtMs = this.#clock.monotonicMs()
  }

  /** Lately, and not answered since. */
  hasFailed(peer: PeerId): boolean {
    const speed = this.#speeds.get(peer)
    return speed !== undefined && this.#clock.monotonicMs() - speed.failedAtMs < disgraceMs
  }

  /** The quickest first; of equals, as they were given. */
  inOrder(peers: readonly PeerId[]): PeerId[] {
    const costs = new Map(peers.map((peer) => [peer, this.#cost(peer)]))
    return [...peers].sort((one, other) => costs.get(one)! - costs.get(other)!)
  }

  #cost(peer: PeerId): number {
    if (this.hasFailed(peer)) return Number.MAX_SAFE_INTEGER
    return this.#speeds.get(peer)?.answerMs ?? this.#roundTripMs(peer) ?? unknownMs
  }

  #of(peer: PeerId): Speed {
    const speed = this.#speeds.get(peer) ?? { answerMs: undefined, failedAtMs: Number.NEGATIVE_INFINITY }
    this.#speeds.set(peer, speed)
    return speed
  }
}
