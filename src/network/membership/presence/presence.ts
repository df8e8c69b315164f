// Presence: which positions were on our part of the ring, which of them are missed now, and since when.
//
// The ring forgets peers that do not answer. Replication and leases must not: most absences end, and one side of a partition must
// not act as if the other had never existed. A peer that is missed for longer than its own history suggests counts as gone for
// good; should it come back after all, it counts again. A peer that announced its departure is not waited for; an announcement of
// others about it counts only while it is missed here, too, and only if it was made about when it was missed or later: so a lie
// about a peer that is present has no effect, and an old lie is forgotten when that peer is away for a while.
// Invariant: at most `peersMax` are remembered, of those missed the one missed longest goes first. Plain data in and out: the
// caller stores it.

import type { AwayPeer } from '../../../model/peer-status.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { type AbsenceHistory, cameBack, newlyKnown } from '../../replication/copies/absence-history.ts'
import { type PatienceLimits, patienceMs } from '../../replication/copies/patience.ts'
import type { Contact } from '../../ring/ring.ts'

export interface RememberedPresence {
  readonly peer: PeerId
  readonly history: AbsenceHistory
  readonly missedSinceMs?: number | undefined
  /** None of one that was only heard of. */
  readonly positions: readonly Contact[]
}

/** That a peer is gone for good. */
export interface Departure {
  readonly isOwnWord: boolean
  /** When we heard of it. */
  readonly atMs: number
}

interface Known {
  history: AbsenceHistory
  missedSinceMs: number | undefined
  positions: Map<string, Contact>
}

const peersMax = 4_096
/** Others may notice so much earlier than we do that a peer is away. */
const earlierMsMax = 30_000

export class Presence {
  readonly #limits: PatienceLimits
  readonly #peers = new Map<PeerId, Known>()
  /** Also of peers that were never met. */
  readonly #departures = new Map<PeerId, Departure>()
  #version = 0

  /** What is remembered of the future is of a clock that was ahead: as if it had been written down now. */
  constructor(
    limits: PatienceLimits,
    remembered: readonly RememberedPresence[] = [],
    nowMs = Number.POSITIVE_INFINITY,
  ) {
    this.#limits = limits
    for (const { peer, history, missedSinceMs, positions } of remembered) {
      const byPlace = new Map(positions.map((contact) => [contact.place, contact]))
      this.#peers.set(peer, {
        history: { ...history, knownSinceMs: Math.min(history.knownSinceMs, nowMs) },
        missedSinceMs: missedSinceMs && Math.min(missedSinceMs, nowMs),
        positions: byPlace,
      })
    }
  }

  /** Changes whenever somebody is missed, or not any more. */
  get version(): number {
    return this.#version
  }

  /** These are there now. `isNear` tells of which places we would know. True when somebody has come or is missed since. */
  seen(contacts: readonly Contact[], isNear: (contact: Contact) => boolean, nowMs: number): boolean {
    const before = this.#missedCount()
    let isChanged = false
    const places = new Set<string>()
    const present = new Set<PeerId>()
    for (const contact of contacts) {
      places.add(contact.place)
      present.add(contact.peer)
      const known = this.#known(contact.peer, nowMs)
      if (known.missedSinceMs !== undefined) {
        this.#departures.delete(contact.peer)
        known.history = cameBack(known.history, nowMs - known.missedSinceMs)
        known.missedSinceMs = undefined
        this.#version++
      }
      if (!known.positions.has(contact.place)) isChanged = true
      known.positions.set(contact.place, contact)
    }
    for (const [peer, known] of this.#peers) {
      const isPresent = present.has(peer)
      for (const contact of known.positions.values()) {
        if (places.has(contact.place) || !isNear(contact)) continue
        // It came back with fewer positions.
        if (isPresent) known.positions.delete(contact.place)
        else if (known.missedSinceMs === undefined) {
          known.missedSinceMs = nowMs
          this.#version++
        }
      }
    }
    this.#forgetSome()
    return isChanged || this.#missedCount() !== before
  }

  /** It is gone for good, or, undefined, it is not: from when it is missed it is not waited for. */
  left(peer: PeerId, departure: Departure | undefined): void {
    this.#departures.delete(peer)
    if (departure !== undefined) this.#departures.set(peer, departure)
    if (this.#departures.size > peersMax) this.#departures.delete(this.#departures.keys().next().value!)
  }

  /** Since when we know of it; undefined when we do not. */
  knownSinceMs(peer: PeerId): number | undefined {
    return this.#peers.get(peer)?.history.knownSinceMs
  }

  /** When we first knew of anybody. */
  firstKnownMs(): number {
    let firstMs = Number.POSITIVE_INFINITY
    for (const { history } of this.#peers.values()) firstMs = Math.min(firstMs, history.knownSinceMs)
    return firstMs
  }

  isMissed(peer: PeerId): boolean {
    return this.#peers.get(peer)?.missedSinceMs !== undefined
  }

  /** Of one that we never heard of nothing is known: from now on it is missed. */
  isGone(peer: PeerId, nowMs: number): boolean {
    let known = this.#peers.get(peer)
    if (known === undefined) {
      known = this.#known(peer, nowMs)
      known.missedSinceMs = nowMs
      this.#version++
      this.#forgetSome()
    }
    return this.#isGone(peer, known, nowMs)
  }

  /** The positions of those who are missed and not gone. */
  awaited(nowMs: number): Contact[] {
    const awaited: Contact[] = []
    for (const [peer, known] of this.#peers) {
      if (known.missedSinceMs !== undefined && !this.#isGone(peer, known, nowMs))
        awaited.push(...known.positions.values())
    }
    return awaited
  }

  /** Who is missed and not gone, the first missed first. */
  away(nowMs: number): AwayPeer[] {
    const away: AwayPeer[] = []
    for (const [peer, known] of this.#peers) {
      const { history, missedSinceMs: sinceMs } = known
      if (sinceMs === undefined || this.#isGone(peer, known, nowMs)) continue
      away.push({ peer, sinceMs, untilMs: sinceMs + patienceMs(history, sinceMs, this.#limits) })
    }
    return away.sort((one, other) => one.sinceMs - other.sinceMs)
  }

  /** Who is missed, for however long, and has not left by anybody's word. */
  missed(): PeerId[] {
    return [...this.#peers].filter(([peer, known]) => this.#isMissing(peer, known)).map(([peer]) => peer)
  }

  all(): RememberedPresence[] {
    return [...this.#peers].map(([peer, { history, missedSinceMs, positions }]) => ({
      peer,
      history,
      missedSinceMs,
      positions: [...positions.values()],
    }))
  }

  #isGone(peer: PeerId, known: Known, nowMs: number): boolean {
    const { history, missedSinceMs } = known
    if (missedSinceMs === undefined) return false
    if (!this.#isMissing(peer, known)) return true
    return nowMs >= missedSinceMs + patienceMs(history, missedSinceMs, this.#limits)
  }

  #isMissing(peer: PeerId, { missedSinceMs, positions }: Known): boolean {
    if (missedSinceMs === undefined) return false
    const departure = this.#departures.get(peer)
    if (departure === undefined) return true
    // Of one that we never met we know what others say.
    const isMet = positions.size > 0
    return !departure.isOwnWord && isMet && departure.atMs < missedSinceMs - earlierMsMax
  }

  #known(peer: PeerId, nowMs: number): Known {
    let known = this.#peers.get(peer)
    if (known === undefined) {
      known = { history: newlyKnown(nowMs), missedSinceMs: undefined, positions: new Map() }
      this.#peers.set(peer, known)
    }
    return known
  }

  #missedCount(): number {
    let count = 0
    for (const { missedSinceMs } of this.#peers.values()) if (missedSinceMs !== undefined) count++
    return count
  }

  #forgetSome(): void {
    while (this.#peers.size > peersMax) {
      let oldest = this.#peers.keys().next().value!
      let oldestMs = Number.POSITIVE_INFINITY
      for (const [peer, { missedSinceMs }] of this.#peers) {
        if (missedSinceMs === undefined || missedSinceMs >= oldestMs) continue
        oldest = peer
        oldestMs = missedSinceMs
      }
      this.#peers.delete(oldest)
      this.#version++
    }
  }
}

/** What was kept in a file. What cannot be read is not known: then everybody is met anew. */
export function readPresence(text: string): RememberedPresence[] {
  try {
    const { peers } = JSON.parse(text) as { peers: RememberedPresence[] }
    return peers.filter(
      ({ peer, history, positions }) =>
        typeof peer === 'string' && Number.isFinite(history.knownSinceMs) && Array.isArray(positions),
    )
  } catch {
    return []
  }
}
