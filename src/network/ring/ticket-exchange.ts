// Reads answers that name peers whose tickets are not known here: whoever named them is asked for the tickets first.
//
// Invariants: a contact whose ticket was not checked is never given to anybody; one question per answer; an answer that
// names a peer without a valid ticket is refused as a whole, since a list with a gap would skip members.
// Whether a ticket holds is for PlaceTickets to say.

import { MessageMalformed } from '../../formats/wire/message-bytes.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Admission } from './admission.ts'
import type { Asked, RingClient } from './lookup/ring-client.ts'
import type { PlaceTickets } from './ring.ts'
import { RingTicketUnknown } from './ring-error.ts'
import type { ContactFinder } from './wire/contact-coding.ts'
import { ticketProofs, ticketsMax } from './wire/tickets.ts'

type Decode<T> = (bytes: Uint8Array, contactOf: ContactFinder) => T

/** For a dry run, in which only names matter. */
const anywhere = '0'.repeat(40) as RingKey

export class TicketExchange {
  readonly #asking: RingClient
  readonly #admission: Admission
  readonly #tickets: PlaceTickets

  constructor(needs: { asking: RingClient; admission: Admission; tickets: PlaceTickets }) {
    this.#asking = needs.asking
    this.#admission = needs.admission
    this.#tickets = needs.tickets
  }

  /** What an answer says, when the tickets of all that it names are known: mostly so, and then without waiting. */
  readNow<T>({ bytes }: Asked, decode: Decode<T>): T | undefined {
    try {
      return decode(bytes, this.#admission.contactOf)
    } catch (error) {
      if (!(error instanceof RingTicketUnknown)) throw error
      return undefined
    }
  }

  /** The same after the peer that gave the answer was asked for the tickets that are not known. */
  async fetchAndRead<T>({ bytes }: Asked, from: PeerId, decode: Decode<T>): Promise<T> {
    await this.#fetch(from, this.#unknownIn(bytes, decode))
    return decode(bytes, this.#admission.contactOf)
  }

  /** The answer to who asks for these peers' tickets. */
  answer(peers: readonly PeerId[]): Uint8Array {
    return ticketProofs.encode(peers.map((peer) => this.#tickets.proofOf(peer)))
  }

  #unknownIn(bytes: Uint8Array, decode: Decode<unknown>): PeerId[] {
    const unknown = new Set<PeerId>()
    try {
      decode(bytes, (peer, index, address) => {
        if (this.#tickets.saltOf(peer) === undefined) unknown.add(peer)
        return { peer, index, address, place: anywhere }
      })
    } catch (error) {
      // Nobody is in order while all are at one place; all have been named by then.
      if (!(error instanceof MessageMalformed)) throw error
    }
    return [...unknown].slice(0, ticketsMax)
  }

  async #fetch(from: PeerId, peers: PeerId[]): Promise<void> {
    const { bytes } = await this.#asking.askPeer(from, [], { kind: 'tickets', peers }, { tries: 1 })
    const proofs = ticketProofs.decode(bytes)
    for (const [index, peer] of peers.entries()) {
      const proof = proofs[index]
      if (proof === undefined) throw new MessageMalformed(`${peer} was named without a ticket`)
      this.#tickets.learn(peer, proof)
    }
  }
}
