// Which keys a position may call its own at a moment, such that no two positions of a ring ever do so for the same key.
//
// Pointers alone do not tell: while a member dies or joins, two can think of each other's arc as theirs, and a newcomer
// that was told an old list may stand where the ring does not see it. So ownership is handed over, from both sides, and only
// by those that own something themselves; it began with the first peer, which owned everything.
// - To the right, consent: we own nothing until our successor agrees that we precede it, and for `ownershipMs` after it last
//   did. A peer that was paused, or cut off, ends owning nothing, and its consent is then worth nothing to others.
// - To the left, a word from the predecessor: we own back to a predecessor only once it has told us itself that we follow
//   it. One that was only named to us may long be followed by another.
// - A successor can give no more than it owned: when it takes a new predecessor in, it owns less at once, and says from
//   where on it owned until then.
// - A successor whose predecessor died waits for `ownershipMs` before it takes over what that one owned: so long somebody
//   may live there whom only the dead one knew, and own by its consent.
// - Who leaves on purpose bequeaths its arc: no waiting.
// - When nobody owns anything, as after everybody slept, or all are newcomers, all would wait for each other. So who owns
//   nothing says for how long there has been agreement all along the ring behind it (agreement.ts); after `ownershipMs` of
//   it they own again, for nobody else can.
// That holds while who is taken for dead is dead and clocks run at about the same rate. In a partition each part has an
// owner of its own; see docs/decisions/0011-ring-protocol.md.

import type { RingKey } from '../../../model/ring-key.ts'
import { Agreement } from './agreement.ts'
import { isBetween, isOwned } from './place.ts'
import { correctedRules, type Rules } from './rules.ts'

/** What a successor tells the predecessor that it agrees to: until so many milliseconds from now it can give only what
 * comes after this place. Its own place: it owns nothing, and there was agreement for so many milliseconds. */
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

/** What a predecessor says of itself: whether it owns anything, or else for how long all before it have agreed. */
export interface OwnershipClaim {
  isOwner: boolean
  agreedMs: number
}

/** Said by one that is waiting for nobody before it. */
const alwaysMs = 600_000

type OwnershipRules = Pick<Rules, 'needsConsent' | 'needsWord' | 'waitsForHeirs'>

export class Ownership {
  readonly #self: RingKey
  readonly #ownershipMs: number
  readonly #rules: OwnershipRules
  #confirmedAtMs = Number.NEGATIVE_INFINITY
  /** How far back our arc goes at most, by the word of one that owned what comes before. */
  #reach: RingKey | undefined
  /** What we own is limited to this. At our own place: nothing. */
  #limit: Limit | undefined
  /** What we can give to the predecessor that we have now is limited to this. */
  #limitToGive: Limit | undefined
  #bequest: { by: RingKey; from: RingKey } | undefined
  /** With successors that own nothing, and with predecessors. */
  readonly #agreementBehind: Agreement
  readonly #agreementBefore: Agreement

  constructor(self: RingKey, ownershipMs: number, rules: OwnershipRules = correctedRules) {
    this.#self = self
    this.#ownershipMs = ownershipMs
    this.#rules = rules
    this.#agreementBehind = new Agreement(ownershipMs)
    this.#agreementBefore = new Agreement(ownershipMs)
  }

  owns(key: RingKey, predecessor: RingKey, isAlone: boolean, nowMs: number): boolean {
    const from = isAlone ? this.#limitAt(nowMs) : this.from(predecessor, nowMs)
    return from !== this.#self && isOwned(from ?? this.#self, key, this.#self)
  }

  /** The place from which on we own, up to ourselves; our own when we own nothing, undefined when everything. */
  from(predecessor: RingKey, nowMs: number): RingKey | undefined {
    const limit = this.#limitAt(nowMs)
    if (predecessor === this.#self) return limit
    if (this.#rules.needsConsent() && !this.#isConfirmed(nowMs)) return this.#self
    const reach = this.#rules.needsWord() ? this.#reach : predecessor
    if (reach === undefined) return this.#self
    return this.#nearer(limit, this.#nearer(reach, predecessor))
  }

  /** A predecessor other than the last. `isFirst`: somebody joined us, who were alone. */
  predecessorChanged(before: RingKey, after: RingKey, nowMs: number, isFirst = false): void {
    const isNearer = before === this.#self || isBetween(before, after, this.#self)
    const place = this.#inherited(before, this.from(before, nowMs))
    const limit = place === undefined ? undefined : { place, untilMs: nowMs + this.#ownershipMs }
    this.#limitToGive = limit
    if (!isNearer && this.#rules.waitsForHeirs()) this.#limit = limit
    if (isFirst) {
      // Alone we needed nobody, and that lasts as long as anybody's consent.
      this.#confirmedAtMs = nowMs
      this.#reach = after
    } else if (isNearer && this.#reach !== undefined) this.#reach = this.#nearer(this.#reach, after)
  }

  /** Our predecessor says that we follow it. */
  heard(predecessor: RingKey, { isOwner, agreedMs }: OwnershipClaim, nowMs: number): void {
    if (!isOwner) this.#agreementBefore.renew(predecessor, agreedMs, nowMs)
    const isLong = this.#agreementBefore.lastedMs(nowMs) > this.#ownershipMs
    if (isOwner || (this.#reach === undefined && isLong)) this.#reach = predecessor
  }

  /** What to say to our successor. */
  claim(predecessor: RingKey, nowMs: number): OwnershipClaim {
    const agreedMs = this.#reach === undefined ? this.#agreementBefore.lastedMs(nowMs) : alwaysMs
    return { isOwner: this.from(predecessor, nowMs) !== this.#self, agreedMs }
  }

  /** Our successor says that we precede it. */
  confirmed(consent: Consent): void {
    const { askedMs, nowMs, hold, successor } = consent
    if (hold?.place === successor) {
      this.#agreementBehind.renew(successor, hold.remainingMs, nowMs)
      if (this.#agreementBehind.lastedMs(askedMs) <= this.#ownershipMs) return
    }
    // What we own already nobody else was given.
    if (!this.#isConfirmed(nowMs)) this.#take(consent)
    this.#agreementBehind.end()
    this.#confirmedAtMs = Math.max(this.#confirmedAtMs, askedMs)
  }

  /** What a predecessor that asks must know. */
  holdFor(predecessor: RingKey, nowMs: number): Hold | undefined {
    if (predecessor !== this.#self && !this.#isConfirmed(nowMs))
      return { place: this.#self, remainingMs: Math.floor(this.#agreementBehind.lastedMs(nowMs)) }
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

  #limitAt(nowMs: number): RingKey | undefined {
    return active(this.#limit, nowMs)?.place
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
    if (bequest?.by !== before || from !== before) return from
    this.#reach = bequest.from
    return bequest.from
  }
}

function active(limit: Limit | undefined, nowMs: number): Limit | undefined {
  return limit !== undefined && limit.untilMs > nowMs ? limit : undefined
}
