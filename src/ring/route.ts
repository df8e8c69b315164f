// The way of one lookup: whom to ask next, given what those asked so far said. No I/O.
//
// Invariants: nobody is asked twice before everybody known has been asked once; at most `contactsMax` are known, and
// `asksMax` asked. Who was named as the likely owner is asked first, the nearest at or after the key; else the nearest
// before it. A dead one is passed over: all that are known must be dead for the way to end.

import type { RingKey } from '../record/ring-key.ts'
import { arcBetween } from './place.ts'
import type { Contact } from './ring.ts'
import type { FindAnswer } from './wire/answers.ts'

const contactsMax = 256
const asksMax = 128

interface Stop {
  contact: Contact
  isLikely: boolean
  isAsked: boolean
}

export class Route {
  readonly key: RingKey
  readonly #stops = new Map<RingKey, Stop>()
  #asks = 0

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

  add(answer: FindAnswer & { kind: 'ask' }): void {
    this.addLikely(answer.likely)
    this.addNearer(answer.nearer)
  }

  /** Somebody told of lies nearer to the key than this owner, and has not been asked. */
  isDoubtful(owner: Contact): boolean {
    const arc = arcBetween(this.key, owner.place)
    for (const { contact, isLikely, isAsked } of this.#stops.values()) {
      if (isLikely && !isAsked && arcBetween(this.key, contact.place) < arc) return true
    }
    return false
  }

  /** Whom to ask now; undefined when all have been asked. */
  next(): Contact | undefined {
    if (this.isExhausted) return undefined
    let best: Stop | undefined
    let bestRank = Number.POSITIVE_INFINITY
    for (const stop of this.#stops.values()) {
      if (stop.isAsked) continue
      const rank = this.#rankOf(stop)
      if (rank < bestRank) {
        best = stop
        bestRank = rank
      }
    }
    if (best === undefined) return undefined
    best.isAsked = true
    this.#asks++
    return best.contact
  }

  /** Everybody may be asked again: the ring may have healed. */
  beginAgain(): void {
    for (const stop of this.#stops.values()) stop.isAsked = false
  }

  /** Likely owners come before all others. */
  #rankOf({ contact, isLikely }: Stop): number {
    return isLikely ? arcBetween(this.key, contact.place) : 1 + arcBetween(contact.place, this.key)
  }

  #add(contact: Contact, isLikely: boolean): void {
    const known = this.#stops.get(contact.place)
    if (known !== undefined) known.isLikely ||= isLikely
    else if (this.#stops.size < contactsMax)
      this.#stops.set(contact.place, { contact, isLikely, isAsked: false })
  }
}
