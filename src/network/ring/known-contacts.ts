// Known contacts: one object for each position that is heard of, however many lists, caches and fingers name it.
//
// Every message that names a position brings its identity and address anew, and the same few thousand come again and again: kept
// as they came, a place in a busy ring holds each of them many times over, and hashes each anew.
// Invariant: at most `contactsMax` of each index; the oldest goes first. What is forgotten is worked out again.

import { LruCache } from '../../model/lru-cache.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { placeOf } from './protocol/place.ts'
import type { Contact } from './ring.ts'

const contactsMaxDefault = 16_384

export class KnownContacts {
  readonly #networkId: string
  readonly #contactsMax: number
  /** By index and salt. */
  readonly #contacts: LruCache<string, Contact>[] = []

  constructor(networkId: string, contactsMax = contactsMaxDefault) {
    this.#networkId = networkId
    this.#contactsMax = contactsMax
  }

  /** The contact of a peer whose places come from this salt. */
  of(peer: PeerId, index: number, address: string, salt: string): Contact {
    const contacts = (this.#contacts[index] ??= new LruCache({ max: this.#contactsMax }))
    // Not as a use: that would cost more than to make it again.
    const known = contacts.peek(salt)
    // In open networks several peers may share an address, and so a place.
    if (known?.peer === peer && known.address === address) return known
    const place = known?.place ?? placeOf(this.#networkId, salt, index)
    const contact = { peer, index, address, place }
    contacts.set(salt, contact)
    return contact
  }

  placeOf(index: number, salt: string): RingKey {
    return this.#contacts[index]?.peek(salt)?.place ?? placeOf(this.#networkId, salt, index)
  }
}
