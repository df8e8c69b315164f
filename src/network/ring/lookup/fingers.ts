// Fingers: for each power of two the position that owns the place so far ahead, so that each hop halves what is left.
//
// Invariant: only powers that reach beyond the successor list are kept; nearer ones the list knows better. Only speed
// depends on them: a wrong finger costs hops, never a wrong owner.

import { type RingKey, ringKeyBytes } from '../../../model/ring-key.ts'
import { arcBetween, placeAfter } from '../protocol/place.ts'
import type { SuccessorList } from '../protocol/successor-list.ts'
import type { Contact } from '../ring.ts'

const powersMax = 8 * ringKeyBytes

export class Fingers {
  readonly #self: RingKey
  readonly #targets = new Map<number, RingKey>()
  readonly #contacts = new Map<number, Contact>()
  #power = powersMax
  #passes = 0

  constructor(self: RingKey) {
    this.#self = self
  }

  /** Each finger has been looked at once. */
  get isBuilt(): boolean {
    return this.#passes > 0
  }

  /** The next finger to be looked at, farthest first; undefined when the list reaches everywhere. */
  next(list: SuccessorList): { power: number; target: RingKey } | undefined {
    const last = list.entries.at(-1)
    if (list.isWhole || last === undefined) {
      this.#contacts.clear()
      this.#passes = 1
      return undefined
    }
    this.#power--
    if (2 ** (this.#power - powersMax) <= arcBetween(this.#self, last.place)) {
      for (const power of this.#contacts.keys()) if (power <= this.#power) this.#contacts.delete(power)
      this.#power = powersMax - 1
      this.#passes++
    }
    return { power: this.#power, target: this.#target(this.#power) }
  }

  set(power: number, contact: Contact): void {
    this.#contacts.set(power, contact)
  }

  remove(place: RingKey): void {
    for (const [power, contact] of this.#contacts) if (contact.place === place) this.#contacts.delete(power)
  }

  contacts(): Iterable<Contact> {
    return this.#contacts.values()
  }

  #target(power: number): RingKey {
    const target = this.#targets.get(power) ?? placeAfter(this.#self, power)
    this.#targets.set(power, target)
    return target
  }
}
