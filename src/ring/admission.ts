// Whether a position stands where it must: its place follows from what its peer cannot choose.
//
// In invited networks that is the peer's identity, which the transport has checked before it gives us a call from it. In
// open networks it is the IP address at which we see the peer; one that says that it precedes us must besides answer a
// nonce there, since a caller's address alone may be that of a relay. What was proven is remembered, up to `provenMax`.

import { MessageMalformed } from '../record/message-bytes.ts'
import type { RingKey } from '../record/ring-key.ts'
import type { PeerId } from '../world/network.ts'
import { ipOf } from './network-prefix.ts'
import { placeOf, positionsMax } from './place.ts'
import type { Contact, RingCalls } from './ring.ts'
import { RingPlaceRefused } from './ring-error.ts'
import type { RingOptions } from './ring-options.ts'

const provenMax = 1_024
/** Of each index. */
const placesMax = 16_384

export class Admission {
  readonly #calls: RingCalls
  readonly #options: RingOptions
  readonly #proven = new Set<string>()
  /** By index and identity. Hashing takes longer than looking up; lists name the same peers again and again. */
  readonly #places: Map<string, RingKey>[] = []

  constructor(calls: RingCalls, options: RingOptions) {
    this.#calls = calls
    this.#options = options
  }

  /** Where a position that calls itself so must lie. */
  readonly placeOf = (peer: PeerId, index: number, address: string): RingKey => {
    const identity = this.#identityOf(peer, address)
    const places = (this.#places[index] ??= new Map())
    const known = places.get(identity)
    if (known !== undefined) return known
    const place = placeOf(this.#options.networkId, identity, index)
    if (places.size >= placesMax) places.delete(places.keys().next().value!)
    places.set(identity, place)
    return place
  }

  /** The position of a peer that calls us, or a refusal. */
  caller(from: PeerId, index: number, address: string): Contact {
    if (index >= positionsMax) throw new MessageMalformed(`a position with index ${index}`)
    const contact = { peer: from, index, address, place: this.placeOf(from, index, address) }
    if (!this.isWhereItSays(contact))
      throw new RingPlaceRefused(`${from} calls from elsewhere than ${address}`)
    return contact
  }

  /** In open networks: is the peer at the address from which its place was made, as far as we see? */
  isWhereItSays({ peer, address }: Contact): boolean {
    if (this.#options.kind === 'invited' || peer === this.#calls.self) return true
    const observed = this.#calls.observedAddress?.(peer)
    return observed !== undefined && observed === ipOf(address)
  }

  /** Need not be asked to answer a nonce. */
  isProven({ peer, address }: Contact): boolean {
    if (this.#options.kind === 'invited' || peer === this.#calls.self) return true
    return this.#proven.has(`${peer} ${ipOf(address)}`)
  }

  proven({ peer, address }: Contact): void {
    if (this.#proven.size >= provenMax) this.#proven.delete(this.#proven.values().next().value!)
    this.#proven.add(`${peer} ${ipOf(address)}`)
  }

  #identityOf(peer: PeerId, address: string): string {
    if (this.#options.kind === 'invited') return peer
    const ip = ipOf(address)
    if (ip === undefined) throw new RingPlaceRefused(`"${address}" holds no IP address`)
    return ip
  }
}
