// The ring as the rest of the program sees it: who owns a key, who keeps its copies, who is there.
//
// Types only; ring-node.ts is what runs. Promises:
// - `lookup` gives an owner that said itself that the key is its own. A wrong one answers "not mine, ask X".
// - A place is not its peer's choice: hash(network id, salt of its ticket, index), checked by everybody who hears of it.
// - `isOwner` is true only while our successor agrees that we are its predecessor, and not for long after it last did.
// What it leaves to others: connections, identities and invitations (the transport), and what lies at a key.

import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'

/** A position, and how to reach its peer. */
export interface Contact {
  peer: PeerId
  /** Which of the peer's positions, from 0. */
  index: number
  place: RingKey
  /** As the transport writes it, such as a multiaddr; empty when only the transport knows. */
  address: string
}

/** A peer to begin with: remembered, invited by, or named by the user. */
export interface KnownPeer {
  peer: PeerId
  addresses: string[]
}

/** The transport, as the ring needs it. `from` is who really asks: the transport has checked that identity. */
export interface RingCalls {
  readonly self: PeerId
  /** Where others can reach us; the first is the one we tell. */
  addresses(): string[]
  /** Where a peer was said to be. Not checked by anybody but the handshake. */
  learn(peer: PeerId, addresses: string[]): void
  /** Rejects with a PolyhistorError: 'peer-unreachable', 'call-timed-out', or what the other refused with. */
  call(peer: PeerId, bytes: Uint8Array, options: { deadlineMs: number }): Promise<Uint8Array>
  /** Questions of the ring are answered by this handler from now on. It may throw PolyhistorErrors. */
  answer(handler: (from: PeerId, bytes: Uint8Array) => Promise<Uint8Array> | Uint8Array): void
  /** The IP address from which this peer reaches us or at which we reach it, for as long as a connection stands. Only
   * `open` networks need it. */
  observedAddress?(peer: PeerId): string | undefined
}

/** The tickets of a network's members: what their places are made from. Unused in open networks. */
export interface PlaceTickets {
  /** The salt of the ticket that this peer holds; undefined while no valid claim of it is known here. */
  saltOf(peer: PeerId): string | undefined
  /** Whether the peer may have no place whatever its ticket: it is a volunteer, or was revoked. Lists that name it are read all the same,
   * since others may not have heard yet. */
  isBarred?(peer: PeerId): boolean
  /** What convinces others that the peer holds its ticket. */
  proofOf(peer: PeerId): Uint8Array | undefined
  /** Checks a proof and keeps it. Throws a PolyhistorError when it does not hold, or the ticket is another peer's. */
  learn(peer: PeerId, proof: Uint8Array): void
}

export interface Replica {
  peer: PeerId
  position: RingKey
  address: string
}

export interface LookupResult {
  key: RingKey
  owner: Replica
  /** The owner first, then the next distinct peers, apart in network prefix where there is a choice. */
  replicas: Replica[]
  /** Questions asked of other peers that were answered. None when the key is our own. */
  hops: number
}

/** `joining`: not yet taken in. `member`: on the ring. `left`: gone on purpose. */
export type PositionStatus = 'joining' | 'member' | 'left'

export interface PositionView {
  place: RingKey
  index: number
  status: PositionStatus
  /** Part of the ring that it owns, from 0 to 1. */
  share: number
  predecessor: Contact
  successors: Contact[]
  /** The successors are everybody else on the ring. */
  isWhole: boolean
}

export interface NeighbourView {
  peer: PeerId
  address: string
  /** `silent`: it did not answer when last asked. */
  state: 'alive' | 'silent'
  roundTripMs: number | undefined
  /** How far its clock is ahead of ours. */
  clockOffsetMs: number | undefined
}

/** What is known here of the ring; not more. */
export interface RingView {
  peer: PeerId
  positions: PositionView[]
  /** Every position known here, in the order of the ring, ours among them, with the arc from the one before. When
   * `isWhole`, that is the whole ring and the arcs are exact. */
  known: { contact: Contact; share: number; isOurs: boolean }[]
  isWhole: boolean
  /** How many positions the ring has: exact when whole, else guessed from how densely the successors lie. */
  sizeEstimate: number
  neighbours: NeighbourView[]
}

export interface Ring {
  /** Begins to answer; alone until it joins. */
  start(): void
  /** Joins the ring of the first of these that answers; resolves when all positions are members. Rejects with
   * 'ring-join-failed' when none lets us in; trying again later is the caller's choice. Without peers it stays alone.
   * On a ring already, it looks whether these are on it, and lets the rings merge when they are on another. */
  join(peers: KnownPeer[]): Promise<void>
  /** For who has no place, or not yet: asks one of these who is on the ring near its first place, so that it can look up and be answered. Rejects
   * with 'ring-lookup-failed' when none of them knows. */
  observe(peers: KnownPeer[]): Promise<void>
  /** Takes leave of the neighbours, so that they need not find out. Resolves when told, or soon. */
  leave(): Promise<void>
  /** One more of the places that our ticket gives, 0 to 15, joined as any other; while the ring is joined already. False when it is ours
   * already, or could not be joined now. */
  takePlace(index: number): Promise<boolean>
  /** One position less, never the last one: what it owned is its successor's from now on. False when there is none such. */
  givePlace(index: number): boolean
  /** Where our ticket's place with this index lies, whether or not we stand there. */
  placeAt(index: number): RingKey
  /** Rejects with 'ring-lookup-failed' when no owner was found in time. */
  lookup(key: RingKey): Promise<LookupResult>
  isOwner(key: RingKey): boolean
  /** In invited networks: whether the place is one of the peer's, by the ticket that we know it to hold. */
  isPlaceOf(peer: PeerId, place: RingKey): boolean
  /** Called when what we own, or who follows or precedes us, has changed. Gives what stops it. */
  onChange(listener: () => void): () => void
  view(): RingView
  /** Peers to begin with next time, best first. */
  remembered(): KnownPeer[]
}
