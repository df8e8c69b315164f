// What was measured of the peers we talk with: round trips, clocks, whether they answer.
//
// Invariant: at most `peersMax`; the one not asked for longest is forgotten first. A peer counts as silent from its last
// failure to answer until it is heard again, in whatever way.

import { LruCache } from '../../model/lru-cache.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { RoundTrip, type TimeoutLimits } from './lookup/round-trip.ts'
import type { NeighbourView } from './ring.ts'

const peersMax = 1_024
/** A clock is off by what the last few answers said, the newest most. */
const offsetGain = 1 / 4

export interface Neighbour {
  readonly peer: PeerId
  readonly roundTrip: RoundTrip
  address: string
  isSilent: boolean
  /** When it was last found silent. */
  silentAtMs: number
  /** Called when it is found silent: questions that would still wait for it. */
  waiting: Set<() => void> | undefined
  clockOffsetMs: number | undefined
}

export class Neighbours {
  readonly #neighbours = new LruCache<PeerId, Neighbour>({ max: peersMax })
  /** Over all of them: what to expect of one that was not measured yet. */
  readonly #roundTrip = new RoundTrip()

  /** Its entry, made when there is none. */
  of(peer: PeerId): Neighbour {
    const known = this.#neighbours.get(peer)
    if (known !== undefined) return known
    const neighbour = {
      peer,
      roundTrip: new RoundTrip(),
      address: '',
      isSilent: false,
      silentAtMs: 0,
      waiting: undefined,
      clockOffsetMs: undefined,
    }
    this.#neighbours.set(peer, neighbour)
    return neighbour
  }

  isSilent(peer: PeerId): boolean {
    return this.#neighbours.get(peer)?.isSilent ?? false
  }

  /** Heard of, unasked. Whether it was silent until now. */
  heard(peer: PeerId): boolean {
    const neighbour = this.#neighbours.get(peer)
    if (neighbour === undefined || !neighbour.isSilent) return false
    neighbour.isSilent = false
    return true
  }

  measured(neighbour: Neighbour, roundTripMs: number): void {
    neighbour.roundTrip.measured(roundTripMs)
    this.#roundTrip.measured(roundTripMs)
  }

  timeoutMs({ roundTrip }: Neighbour, limits: TimeoutLimits): number {
    if (roundTrip.smoothedMs !== undefined) return roundTrip.timeoutMs(limits)
    return Math.max(this.#roundTrip.timeoutMs(limits), limits.timeoutMsFirst)
  }

  /** Within which it answers when all is well, as far as is known of it, or of anybody. */
  usualMs(peer: PeerId, limits: TimeoutLimits): number {
    const usualMs = this.#neighbours.get(peer)?.roundTrip.usualMs ?? this.#roundTrip.usualMs
    return Math.min(usualMs ?? limits.timeoutMsFirst, limits.timeoutMsMax)
  }

  /** It said `theirMs` half way through a round trip that began at `sentMs`, both by wall clocks. */
  clockRead(peer: PeerId, theirMs: number, sentMs: number, receivedMs: number): void {
    const neighbour = this.of(peer)
    const offsetMs = theirMs - (sentMs + receivedMs) / 2
    const before = neighbour.clockOffsetMs
    neighbour.clockOffsetMs = before === undefined ? offsetMs : before + offsetGain * (offsetMs - before)
  }

  view(): NeighbourView[] {
    return this.#neighbours.values().map(({ peer, address, isSilent, roundTrip, clockOffsetMs }) => ({
      peer,
      address,
      state: isSilent ? 'silent' : 'alive',
      roundTripMs: roundTrip.smoothedMs,
      clockOffsetMs,
    }))
  }
}
