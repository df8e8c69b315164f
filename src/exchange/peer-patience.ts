// Peer patience: how long to leave a peer alone that did not answer, longer each time, each time by chance a little different.
//
// Bounded: remembers `peersMax` peers; who is forgotten is tried again at once.

import type { Clock } from '../world/clock.ts'
import type { PeerId } from '../world/network.ts'
import type { Random } from '../world/random.ts'

export interface PatienceOptions {
  readonly firstMs: number
  readonly longestMs: number
}

const peersMax = 10_000
const doublingsMax = 30

export class PeerPatience {
  readonly #clock: Clock
  readonly #random: Random
  readonly #options: PatienceOptions
  readonly #peers = new Map<PeerId, { failures: number; untilMs: number }>()

  constructor(needs: { clock: Clock; random: Random }, options: PatienceOptions) {
    this.#clock = needs.clock
    this.#random = needs.random
    this.#options = options
  }

  /** How many peers are being waited for. */
  get size(): number {
    return this.#peers.size
  }

  /** When it may be tried again, by the monotonic clock; undefined when it may be now. */
  untilMs(peer: PeerId): number | undefined {
    const waiting = this.#peers.get(peer)
    return waiting !== undefined && waiting.untilMs > this.#clock.monotonicMs() ? waiting.untilMs : undefined
  }

  failed(peer: PeerId): number {
    const failures = 1 + (this.#peers.get(peer)?.failures ?? 0)
    const { firstMs, longestMs } = this.#options
    const delayMs = Math.min(longestMs, firstMs * 2 ** Math.min(doublingsMax, failures - 1))
    const untilMs = this.#clock.monotonicMs() + delayMs * (0.5 + this.#random.fraction() / 2)
    this.#peers.delete(peer)
    this.#peers.set(peer, { failures, untilMs })
    if (this.#peers.size > peersMax) this.#peers.delete(this.#peers.keys().next().value!)
    return untilMs
  }

  answered(peer: PeerId): void {
    this.#peers.delete(peer)
  }
}
