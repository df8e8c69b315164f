// Owners: the ring, as the exchange of links needs it. Somebody else joins the two.

import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'

/** A peer, and the place of the position by which it owns what comes before. */
export interface Owner {
  readonly peer: PeerId
  /** It owns the keys from the one that was asked about up to this place, which is its own. */
  readonly upTo: RingKey
  /** Where it can be reached; may be empty when the transport knows already. */
  readonly addresses: readonly string[]
}

/** What we own ourselves around a key, and who follows on the ring: several, for the next may own nothing that waits. */
export interface OwnArc {
  /** Keys after this one, */
  readonly after: RingKey
  /** up to this one. */
  readonly upTo: RingKey
  readonly following: readonly Owner[]
}

export interface Owners {
  readonly self: PeerId
  /** Ours, for sure, at this moment. */
  isOwner(key: RingKey): boolean
  /** Looks the key up on the ring. Rejects with a PolyhistorError when no owner was found. */
  ownerOf(key: RingKey): Promise<Owner>
  /** Our arc with this key in it; undefined when it is not ours. */
  arcOf(key: RingKey): OwnArc | undefined
  /** Who owns it by what is known here, without asking anybody. */
  likelyOwnerOf(key: RingKey): Owner | undefined
  /** Whether this peer can have a position there: places are no peer's choice, so nobody can claim another's keys. */
  isPlaceOf(peer: PeerId, place: RingKey): boolean
  /** Where a peer was said to be. */
  learn(peer: PeerId, addresses: readonly string[]): void
}
