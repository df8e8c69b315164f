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

/** What is done so that others reach a peer behind a router. */
export interface ReachOptions {
  /** Asks the router for a port that leads here. */
  readonly portMapping: boolean
  /** Asks other peers to pass on what is sent to us. */
  readonly relays: boolean
  /** Makes direct connections with those that were met through a relay. */
  readonly holePunching: boolean
  /** Passes on what is sent to others; not at all when undefined. */
  readonly relaying: RelayingLimits | undefined
}

export interface RelayingLimits {
  /** So many peers have a place here. */
  readonly peersMax: number
  /** Of one relayed connection, both ways together: then it ends, and a new one is made. */
  readonly bytesMax: number
  readonly msMax: number
}

/** How others reach this peer, as far as it was found out. */
export interface ReachView {
  /** `relayed`: not directly, but through other peers. `unknown`: nobody elsewhere could be asked. */
  readonly state: 'unknown' | 'reached' | 'unreached' | 'relayed'
  /** So many were asked to dial us. */
  readonly asked: number
  readonly reachedBy: number
  /** From where others see us come, as the beginnings of multiaddresses. */
  readonly seenAt: readonly string[]
  readonly addresses: readonly string[]
  /** What became of asking the router, a few words. */
  readonly router: string
  /** Peers that pass on to us. */
  readonly relays: readonly PeerId[]
  /** So many peers does this one pass on to. */
  readonly relayedFor: number
  readonly connections: { readonly direct: number; readonly relayed: number; readonly punched: number }
  /** Attempts to make a relayed connection a direct one. */
  readonly punches: { readonly succeeded: number; readonly failed: number }
}

export interface PeerNetwork extends Network {
  /** The connected peers, with their actual addresses. */
  connected(): ConnectedPeer[]
  /** Connects to this address, exchanges greetings, and gives the peer's id. */
  meet(address: string): Promise<PeerId>
  /** Tells of peers on the local network. One listener at a time. */
  onFound(listener: FoundListener): void
  /** Ends all connections with a peer. Whether it may come back is for the greeting to say. */
  cut(peer: PeerId): Promise<void>
  /** How others reach us; undefined where nothing is done about it. */
  reach?(): ReachView | undefined
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
  /** What is done so that others reach us: nothing unless told. */
  readonly reach?: ReachOptions | undefined
}
