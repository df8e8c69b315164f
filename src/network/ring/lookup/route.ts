// The way of one lookup: whom to ask next, given what those asked so far said. No I/O.
//
// It goes in rounds. Who was named as the likely owner is asked first, the nearest at or after the key; else the nearest
// before it. A round ends when everybody known was asked, or when several in a row answered and named nobody new: then the
// ring is healing around the key, and asking those far away would not help. The next round asks the same again, and goes a
// little farther, so that a few that mislead us cannot keep us for long from the others.
//
// Invariants: nobody is asked twice in a round; who did not answer rests for some rounds, for more each time; at most
// `contactsMax` are known, and `asksMax` asked.

import type { RingKey } from '../../../model/ring-key.ts'
import { arcBetween } from '../protocol/place.ts'
import type { Contact } from '../ring.ts'
import type { FindAnswer } from '../wire/answers.ts'

const contactsMax = 256
const asksMax = 512
/** Answers in a row without news that end the first round. */
const stallsMax = 4
/** After so many rounds one more is borne. */
const roundsPerStall = 2

interface Stop {
  contact: Contact
  isLikely: boolean
  /** Who has the least is asked first. */
  rank: number
  isAsked: boolean
  failures: number
  /** Not to be asked before this round. */
  restsUntil: number
}

export class Route {
  readonly key: RingKey
  readonly #stops = new Map<RingKey, Stop>()
  #asks = 0
  #round = 0
  #stalls = 0
  /** Asks that are left although nobody brings news. */
  #spare = 0

  constructor(key: RingKey) {
    this.key = key
  }

  /** Asked for too long. */
  get isExhausted(): boolean {
    return this.#asks >= asksMax
  }

  addLikely(contacts: Iterable<Contact>): void {
    for (const contact of contacts) this.#add(contact, true)
  }

  addNearer(contacts: Iterable<Contact>): void {
    for (const contact of contacts) this.#add(contact, false)
  }

  /** What one of those asked said. */
  answered({ likely, nearer }: Pick<FindAnswer & { kind: 'ask' }, 'likely' | 'nearer'>): void {
    this.#stalls++
    this.addLikely(likely)
    this.addNearer(nearer)
  }

  /** It did not answer, or made no sense. */
  failed({ place }: Contact): void {
    const stop = this.#stops.get(place)
    if (stop !== undefined) stop.restsUntil = this.#round + 2 ** ++stop.failures
  }

  /** Somebody told of lies nearer to the key than this owner, and has not been asked. */
  isDoubtful(owner: Contact): boolean {
    const arc = arcBetween(this.key, owner.place)
    for (const { isLikely, isAsked, rank } of this.#stops.values()) {
      if (isLikely && !isAsked && rank < arc) return true
    }
    return false
  }

  /** From now on whoever is known is asked, news or not, so many at most. */
  goOn(asks: number): void {
    this.#spare = asks
  }

  /** Whom to ask now; undefined when the round is over. */
  next(): Contact | undefined {
    const isStalled = this.#stalls >= stallsMax + this.#round / roundsPerStall
    if (this.isExhausted || (isStalled && this.#spare === 0)) return undefined
    this.#spare = Math.max(0, this.#spare - 1)
    let best: Stop | undefined
    for (const stop of this.#stops.values()) {
      if (!stop.isAsked && (best === undefined || stop.rank < best.rank)) best = stop
    }
    if (best === undefined) return undefined
    best.isAsked = true
    this.#asks++
    return best.contact
  }

  /** Another round: the ring may have healed. */
  beginAgain(): void {
    this.#round++
    this.#stalls = 0
    for (const stop of this.#stops.values()) stop.isAsked = stop.restsUntil > this.#round
  }

  #add(contact: Contact, isLikely: boolean): void {
    const known = this.#stops.get(contact.place)
    if (known === undefined && this.#stops.size >= contactsMax) return
    if (known !== undefined && (known.isLikely || !isLikely)) return
    this.#stalls = 0
    const rank = this.#rankOf(contact, isLikely)
    if (known === undefined)
      this.#stops.set(contact.place, { contact, isLikely, rank, isAsked: false, failures: 0, restsUntil: 0 })
    else Object.assign(known, { isLikely, rank })
  }

  /** Likely owners come before all others. */
  #rankOf({ place }: Contact, isLikely: boolean): number {
    return isLikely ? arcBetween(this.key, place) : 1 + arcBetween(place, this.key)
  }
}
