// Which keys a position may call its own at a moment, such that no two positions of a ring ever do so for the same key.
//
// A pointer alone does not tell: while a member dies or joins, two can think of each other's arc as theirs. So ownership is
// handed over, like a lease:
// - We own nothing until our successor agrees that we precede it, and for `ownershipMs` after it last did. A peer that was
//   paused wakes up owning nothing.
// - A successor that takes a new predecessor in owns less at once, and says from where on it owned until then: it can give
//   no more than that.
// - A successor whose predecessor died waits for `ownershipMs` before it takes over what that one owned: so long somebody
//   may live there whom only the dead one knew.
// - Who leaves on purpose bequeaths its arc: no waiting.
// That holds while who is taken for dead is dead, and clocks run at about the same rate. In a partition each part has an
// owner of its own; see docs/decisions/0011-ring-protocol.md.

import type { RingKey } from '../record/ring-key.ts'
import { isBetween, isOwned } from './place.ts'

/** Keys up to this place are not ours (or the successor's) to give before so many milliseconds from now. */
export interface Hold {
  place: RingKey
  remainingMs: number
}

interface Held {
  /** We own from here on. */
  place: RingKey
  untilMs: number
}

export class Ownership {
  readonly #self: RingKey
  readonly #ownershipMs: number
  #confirmedAtMs = Number.NEGATIVE_INFINITY
  #held: Held | undefined
  /** From where on we owned before the predecessor that we have now. */
  #before: Held | undefined
  #bequest: { by: RingKey; from: RingKey } | undefined

  constructor(self: RingKey, ownershipMs: number) {
    this.#self = self
    this.#ownershipMs = ownershipMs
  }

  owns(key: RingKey, predecessor: RingKey, isAlone: boolean, nowMs: number): boolean {
    if (!isAlone && !this.isConfirmed(nowMs)) return false
    const from = this.from(predecessor, nowMs)
    if (from === this.#self && !(isAlone && this.#activeHold(nowMs) === undefined)) return false
    return isOwned(from, key, this.#self)
  }

  isConfirmed(nowMs: number): boolean {
    return nowMs <= this.#confirmedAtMs + this.#ownershipMs
  }

  /** The place from which on we own, up to ourselves. Ourselves: everything when alone, else nothing. */
  from(predecessor: RingKey, nowMs: number): RingKey {
    const held = this.#activeHold(nowMs)
    if (held === undefined) return predecessor
    if (held === this.#self || predecessor === this.#self) return held
    return isBetween(held, predecessor, this.#self) ? predecessor : held
  }

  predecessorChanged(before: RingKey, after: RingKey, nowMs: number): void {
    const untilMs = nowMs + this.#ownershipMs
    const isNearer = before === this.#self || isBetween(before, after, this.#self)
    const place = this.#handedOver(this.from(before, nowMs))
    this.#before = { place, untilMs }
    // An arc that was on hold stays so; one that is given up is no more of our concern.
    if (!isNearer) this.#held = { place, untilMs }
  }

  /** Our successor, asked at `askedMs`, says that we precede it. */
  confirmed(options: {
    askedMs: number
    nowMs: number
    successor: RingKey
    predecessor: RingKey
    hold: Hold | undefined
  }): void {
    const { askedMs, nowMs, hold } = options
    // What we own already nobody else was given.
    if (!this.isConfirmed(nowMs)) this.#held = this.#heldBy(options, hold, nowMs)
    this.#confirmedAtMs = Math.max(this.#confirmedAtMs, askedMs)
  }

  /** What a predecessor that asks must know. */
  holdFor(nowMs: number): Hold | undefined {
    if (this.#before === undefined || this.#before.untilMs <= nowMs) return undefined
    return { place: this.#before.place, remainingMs: Math.ceil(this.#before.untilMs - nowMs) }
  }

  /** The predecessor leaves, and owned from there. */
  bequeathed(by: RingKey, from: RingKey): void {
    this.#bequest = { by, from }
  }

  #handedOver(place: RingKey): RingKey {
    const bequest = this.#bequest
    this.#bequest = undefined
    return bequest !== undefined && bequest.by === place ? bequest.from : place
  }

  #heldBy(
    { successor, predecessor }: { successor: RingKey; predecessor: RingKey },
    hold: Hold | undefined,
    nowMs: number,
  ): Held | undefined {
    const own = this.#held !== undefined && this.#held.untilMs > nowMs ? this.#held : undefined
    // A successor that owned everything can give everything.
    if (hold === undefined || hold.place === successor) return own
    const untilMs = nowMs + Math.min(hold.remainingMs, this.#ownershipMs)
    // It did not own our arc at all: whoever did may have given it to somebody.
    if (hold.place === this.#self || isBetween(this.#self, hold.place, successor))
      return { place: this.#self, untilMs }
    if (!isBetween(predecessor, hold.place, this.#self)) return own
    return { place: hold.place, untilMs }
  }

  #activeHold(nowMs: number): RingKey | undefined {
    return this.#held !== undefined && this.#held.untilMs > nowMs ? this.#held.place : undefined
  }
}
