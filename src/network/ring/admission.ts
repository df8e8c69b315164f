// Whether a position stands where it must: its place follows from what its peer cannot choose.
//
// In invited networks that is the salt of the peer's ticket, which the network's key has signed: whoever names a peer must be
// able to show its ticket (ticket-exchange.ts). In open networks it is the IP address at which we see the peer; one that says
// that it precedes us must besides answer a nonce there, since a caller's address alone may be that of a relay; and a network
// prefix may have so many addresses only (prefix-limits.ts). What was proven is remembered, up to `provenMax`.

import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { KnownContacts } from './known-contacts.ts'
import { ipOf } from './network-prefix.ts'
import { PrefixLimits } from './prefix-limits.ts'
import { positionsMax } from './protocol/place.ts'
import type { Contact, PlaceTickets, RingCalls } from './ring.ts'
import { RingPlaceRefused, RingTicketUnknown } from './ring-error.ts'
import type { RingOptions } from './ring-options.ts'

const provenMax = 1_024

export class Admission {
  readonly #calls: RingCalls
  readonly #tickets: PlaceTickets
  readonly #options: RingOptions
  readonly #prefixes: PrefixLimits
  readonly #proven = new Set<string>()
  readonly #contacts: KnownContacts

  constructor(
    needs: {
      calls: RingCalls
      tickets: PlaceTickets
      clock: Clock
      contacts?: KnownContacts | undefined
    },
    options: RingOptions,
  ) {
    this.#contacts = needs.contacts ?? new KnownContacts(options.networkId)
    this.#prefixes = new PrefixLimits(needs)
    this.#calls = needs.calls
    this.#tickets = needs.tickets
    this.#options = options
  }

  /** Where a position that calls itself so must lie. Throws RingTicketUnknown when that cannot be told yet. */
  placeOf(peer: PeerId, index: number, address: string): RingKey {
    return this.#contacts.placeOf(index, this.#saltOf(peer, address))
  }

  /** The position that calls itself so, where it must lie. Throws as `placeOf` does. */
  readonly contactOf = (peer: PeerId, index: number, address: string): Contact =>
    this.#contacts.of(peer, index, address, this.#saltOf(peer, address))

  /** Whether it can be told where the peer's positions lie. */
  isKnown(peer: PeerId): boolean {
    return this.#options.kind !== 'invited' || this.#tickets.saltOf(peer) !== undefined
  }

  /** The position of a peer that calls us, or a refusal. */
  caller(from: PeerId, index: number, address: string): Contact {
    if (index >= positionsMax) throw new MessageMalformed(`a position with index ${index}`)
    const contact = this.contactOf(from, index, address)
    if (!this.isWhereItSays(contact))
      throw new RingPlaceRefused(`${from} calls from elsewhere than ${address}`)
    return contact
  }

  /** Is this still its place? In invited networks: by the ticket that it holds now. In open ones: is the peer at the address
   * from which its place was made, as far as we see? */
  isWhereItSays({ peer, index, place, address }: Contact): boolean {
    if (peer === this.#calls.self) return true
    if (this.#tickets.isBarred?.(peer)) return false
    if (this.#options.kind === 'invited')
      return this.#tickets.saltOf(peer) !== undefined && this.placeOf(peer, index, address) === place
    const observed = this.#calls.observedAddress?.(peer)
    return observed !== undefined && observed === ipOf(address) && this.#prefixes.isWithin(observed)
  }

  isPlaceOf(peer: PeerId, place: RingKey): boolean {
    return this.placesOf(peer).includes(place)
  }

  placesOf(peer: PeerId): RingKey[] {
    if (this.#options.kind !== 'invited' || this.#tickets.saltOf(peer) === undefined) return []
    return Array.from({ length: positionsMax }, (_, index) => this.placeOf(peer, index, ''))
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

  #saltOf(peer: PeerId, address: string): string {
    if (this.#options.kind === 'invited') {
      const salt = this.#tickets.saltOf(peer)
      if (salt === undefined) throw new RingTicketUnknown(peer)
      return salt
    }
    const ip = ipOf(address)
    if (ip === undefined) throw new RingPlaceRefused(`"${address}" holds no IP address`)
    return ip
  }
}
