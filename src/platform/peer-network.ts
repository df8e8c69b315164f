// A network that is joined by identity: peers meet at addresses and greet each other before any message passes.

import type { Network, PeerId } from './network.ts'
import type { Greeting } from './network-greeting.ts'

/** A connected peer. */
export interface ConnectedPeer {
  readonly peer: PeerId
  readonly address: string
  readonly direction: 'inbound' | 'outbound'
}

/** Told of peers that answer on the local network. */
export type FoundListener = (peer: PeerId, addresses: string[]) => void

export interface PeerNetwork extends Network {
  /** The connected peers, with their actual addresses. */
  connected(): ConnectedPeer[]
  /** Connects to this address, exchanges greetings, and gives the peer's id. */
  meet(address: string): Promise<PeerId>
  /** Tells of peers on the local network. One listener at a time. */
  onFound(listener: FoundListener): void
  /** Ends all connections with a peer. Whether it may come back is for the greeting to say. */
  cut(peer: PeerId): Promise<void>
}

export interface PeerNetworkOptions {
  /** What makes us the same peer as last time. */
  readonly identity: Uint8Array
  /** Whom we let in, and what we say to be let in. */
  readonly greeting: Greeting
  /** Addresses to listen on. */
  readonly listen: string[]
  /** Where others reach us, when that is not where we listen. */
  readonly announce: string[]
  /** Both ends of a connection must have the same. */
  readonly prologue: Uint8Array
  /** Under which peers find each other on the local network; not at all when undefined. */
  readonly mdnsName: string | undefined
}
