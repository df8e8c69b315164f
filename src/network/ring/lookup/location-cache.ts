// Location cache: every position heard of, so that most lookups need one hop, which only confirms.
//
// Invariants: sorted by place; at most `contactsMax`, of which the one not heard of for longest goes first. What it says
// may be out of date: whoever is asked says so, and is put right or removed here.

import type { RingKey } from '../../../model/ring-key.ts'
import type { Contact } from '../ring.ts'

export class LocationCache {
  readonly #contacts = new Map<RingKey, Contact>()
  readonly #places: RingKey[] = []
  readonly #contactsMax: number

  constructor(contactsMax: number) {
    this.#contactsMax = contactsMax
  }

  get size(): number {
    return this.#places.length
  }

  add(contact: Contact): void {
    if (this.#contactsMax === 0) return
    if (!this.#contacts.delete(contact.place)) {
      if (this.#places.length >= this.#contactsMax) this.remove(this.#contacts.keys().next().value!)
      this.#places.splice(this.#rankOf(contact.place), 0, contact.place)
    }
    this.#contacts.set(contact.place, contact)
  }

  remove(place: RingKey): void {
    if (!this.#contacts.delete(place)) return
    this.#places.splice(this.#rankOf(place), 1)
  }

  keepOnly(places: ReadonlySet<RingKey>): void {
    for (const place of [...this.#contacts.keys()]) if (!places.has(place)) this.remove(place)
  }

  /** The first at or after the key, round the ring. */
  atOrAfter(key: RingKey): Contact | undefined {
    const rank = this.#rankOf(key)
    const place = this.#places[rank] ?? this.#places[0]
    return place === undefined ? undefined : this.#contacts.get(place)
  }

  /** The nearest before the key, the nearest first. */
  before(key: RingKey, count: number): Contact[] {
    const found: Contact[] = []
    const size = this.#places.length
    const rank = this.#rankOf(key)
    for (let back = 1; back <= Math.min(count, size); back++) {
      found.push(this.#contacts.get(this.#places[(rank - back + size) % size]!)!)
    }
    return found
  }

  *all(): Generator<Contact> {
    for (const place of this.#places) yield this.#contacts.get(place)!
  }

  /** How many lie before the key. */
  #rankOf(key: RingKey): number {
    let low = 0
    let high = this.#places.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#places[middle]! < key) low = middle + 1
      else high = middle
    }
    return low
  }
}
