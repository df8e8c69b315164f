// Which keys a position may call its own at a moment, such that no two positions of a ring ever do so for the same key.
//
// A pointer alone does not tell: while a member dies or joins, two can think of each other's arc as theirs. So ownership is
// handed over, like a lease:
// - We own nothing until our successor agrees that we precede it, and for `ownershipMs` after it last did. A peer that was
//   paused wakes up owning nothing.
// - A successor can give no more than it owned: when it takes a new predecessor in, it owns less at once, and says from
//   where on it owned until then. One that owns nothing yet gives nothing yet; but when all agree for `ownershipMs` and
//   nobody owns anything, as after everybody slept, they own again, for then nobody else can.
// - A successor whose predecessor died waits for `ownershipMs` before it takes over what that one owned: so long somebody
//   may live there whom only the dead one knew.
// - Who leaves on purpose bequeaths its arc: no waiting.
// That holds while who is taken for dead is dead, clocks run at about the same rate, and those that a death has cut off find
// their new successor within `ownershipMs`. In a partition each part has an
// owner of its own; see docs/decisions/0011-ring-protocol.md.

import type { RingKey } from '../record/ring-key.ts'
import { isBetween, isOwned } from './place.ts'
import { correctedRules, type Rules } from './rules.ts'

/** What a successor tells the predecessor that it agrees to: until so many milliseconds from now it can give only what
 * comes after this place. Its own place: nothing. */
export interface Hold {
  place: RingKey
  remainingMs: number
}

/** Only keys after this place, until then. */
interface Limit {
  place: RingKey
  untilMs: number
}

interface Consent {
  askedMs: number
  nowMs: number
  successor: RingKey
  predecessor: RingKey
  hold: Hold | undefined
}

type OwnershipRules = Pick<Rules, 'needsConsent' | 'waitsForHeirs'>

export class Ownership {
  readonly #self: RingKey
  readonly #ownershipMs: number
  readonly #rules: OwnershipRules
  #confirmedAtMs = Number.NEGATIVE_INFINITY
  /** What we own is limited to this. At our own place: nothing. */
  #limit: Limit | undefined
  /** What we can give to the predecessor that we have now is limited to this. */
  #limitToGive: Limit | undefined
  #bequest: { by: RingKey; from: RingKey } | undefined
  /** Since when a successor that owns nothing agrees that we precede it. */
  #agreed: { successor: RingKey; predecessor: RingKey; sinceMs: number } | undefined

  constructor(self: RingKey, ownershipMs: number, rules: OwnershipRules = correctedRules) {
    this.#self = self
    this.#ownershipMs = ownershipMs
    this.#rules = rules
  }

  owns(key: RingKey, predecessor: RingKey, isAlone: boolean, nowMs: number): boolean {
    if (!isAlone && this.#rules.needsConsent() && !this.#isConfirmed(nowMs)) return false
    const limit = active(this.#limit, nowMs)?.place
    if (limit === this.#self) return false
    return isOwned(this.#nearer(limit, predecessor), key, this.#self)
  }

  /** The place from which on we own, up to ourselves; our own when we own nothing, undefined when everything. */
  from(predecessor: RingKey, nowMs: number): RingKey | undefined {
    const isAlone = predecessor === this.#self
    const limit = active(this.#limit, nowMs)?.place
    if (isAlone) return limit
    return this.#isConfirmed(nowMs) ? this.#nearer(limit, predecessor) : this.#self
  }

  predecessorChanged(before: RingKey, after: RingKey, nowMs: number): void {
    const isNearer = before === this.#self || isBetween(before, after, this.#self)
    const place = this.#inherited(before, this.from(before, nowMs))
    const limit = place === undefined ? undefined : { place, untilMs: nowMs + this.#ownershipMs }
    this.#limitToGive = limit
    if (!isNearer && this.#rules.waitsForHeirs()) this.#limit = limit
    this.#agreed = undefined
  }

  /** Our successor says that we precede it. */
  confirmed(consent: Consent): void {
    const { askedMs, nowMs, hold, successor } = consent
    // What we own already nobody else was given, whatever the successor owns.
    if (!this.#isConfirmed(nowMs)) {
      if (hold?.place === successor && !this.#isAgreedLong(consent)) return
      this.#take(consent)
    }
    this.#agreed = undefined
    this.#confirmedAtMs = Math.max(this.#confirmedAtMs, askedMs)
  }

  /** What a predecessor that asks must know. */
  holdFor(predecessor: RingKey, nowMs: number): Hold | undefined {
    if (predecessor !== this.#self && !this.#isConfirmed(nowMs))
      return { place: this.#self, remainingMs: this.#ownershipMs }
    const limit = active(this.#limitToGive, nowMs)
    return limit && { place: limit.place, remainingMs: Math.ceil(limit.untilMs - nowMs) }
  }

  /** The predecessor leaves, and owned from there. */
  bequeathed(by: RingKey, from: RingKey): void {
    this.#bequest = { by, from }
  }

  #isConfirmed(nowMs: number): boolean {
    return nowMs <= this.#confirmedAtMs + this.#ownershipMs
  }

  #isAgreedLong({ successor, predecessor, nowMs, askedMs }: Consent): boolean {
    const agreed = this.#agreed
    if (agreed?.successor === successor && agreed.predecessor === predecessor)
      return askedMs - agreed.sinceMs > this.#ownershipMs
    this.#agreed = { successor, predecessor, sinceMs: nowMs }
    return false
  }

  /** Owns anew what the successor can give. */
  #take({ successor, predecessor, hold, nowMs }: Consent): void {
    const own = active(this.#limit, nowMs)
    this.#limit = own
    if (hold === undefined || hold.place === successor) return
    const untilMs = nowMs + Math.min(hold.remainingMs, this.#ownershipMs)
    const isBeyond = hold.place === this.#self || isBetween(this.#self, hold.place, successor)
    // Where it owned no key of ours, whoever did may have given them to somebody.
    const place = isBeyond ? this.#self : hold.place
    this.#limitToGive = { place, untilMs }
    if (isBeyond || isBetween(predecessor, place, this.#self))
      this.#limit = this.#stricter(own, { place, untilMs })
  }

  #stricter(one: Limit | undefined, other: Limit): Limit {
    if (one === undefined) return other
    const isFirst = one.place === this.#self || isBetween(other.place, one.place, this.#self)
    return { place: isFirst ? one.place : other.place, untilMs: Math.max(one.untilMs, other.untilMs) }
  }

  #nearer(limit: RingKey | undefined, predecessor: RingKey): RingKey {
    if (limit === undefined) return predecessor
    if (limit === this.#self || predecessor === this.#self) return limit
    return isBetween(limit, predecessor, this.#self) ? predecessor : limit
  }

  /** From where on we own, when the predecessor `before` is gone and has left us its arc. */
  #inherited(before: RingKey, from: RingKey | undefined): RingKey | undefined {
    const bequest = this.#bequest
    this.#bequest = undefined
    return bequest?.by === before && from === before ? bequest.from : from
  }
}

function active(limit: Limit | undefined, nowMs: number): Limit | undefined {
  return limit !== undefined && limit.untilMs > nowMs ? limit : undefined
}
