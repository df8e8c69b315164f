// The libp2p node: TCP, or a relay between (reach/), encrypted by Noise, many streams on one connection by yamux, and nothing else.
//
// Invariants: who does not give the same prologue gets no further than the first exchange of keys; connections in all,
// per peer and per second are bounded (connection-gate.ts), and some are kept for those that we make ourselves. Only peers that
// were admitted are relayed, and only to such peers. libp2p's own services (identify, ping, …) are left out: they would tell
// strangers about us.

import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { circuitRelayServer } from '@libp2p/circuit-relay-v2'
import { privateKeyFromProtobuf } from '@libp2p/crypto/keys'
import { createLibp2p, type Libp2p } from 'libp2p'
import type { PeerId } from '../../network/network.ts'
import type { FoundListener, RelayingLimits } from '../../network/peer-network.ts'
import type { ConnectionGate } from './connection-gate.ts'
import type { NetworkLimits } from './limits.ts'
import type { Transports } from './reach/transports.ts'

export type Connection = Awaited<ReturnType<Libp2p['dial']>>
export type Stream = Awaited<ReturnType<Connection['newStream']>>

/** A stream stays open for what it still has to read after its writing side was closed: to send on it then throws. */
export function isWritable({ status, writeStatus }: Stream): boolean {
  return status === 'open' && writeStatus === 'writable'
}

export interface NodeOptions {
  identity: Uint8Array
  /** Where to listen, as multiaddresses. */
  listen: string[]
  /** Where others reach us, when that is not where we listen: behind a router that passes a port on. Told instead. */
  announce?: string[] | undefined
  /** Both ends must give the same, or they never meet. Not a secret. */
  prologue?: Uint8Array | undefined
  /** Asks for peers on the local network under this name; not at all when not given. */
  mdnsName?: string | undefined
  /** Passes on what peers send each other, within these limits. */
  relaying?: RelayingLimits | undefined
}

/** What the node asks of those who use it. */
interface NodeNeeds {
  readonly onFound: FoundListener
  readonly door: ConnectionGate
  readonly transports: Transports
  /** Whether a connection with this peer was admitted. */
  isMember(peer: PeerId): boolean
}

/** The owner's own machine may open connections as fast as it likes. */
const loopback = ['/ip4/127.0.0.0/ipcidr/8', '/ip6/::1/ipcidr/128']
const streamWindowBytesMax = 4 * 1024 * 1024
// Control and bulk, each of which may be opened anew before we hear that the old one is gone; and to and from a relay one for each
// connection that it passes on.
const streamsPerConnectionMax = 8 + 128
const relayedPerConnectionMax = 96

export async function startNode(
  options: NodeOptions,
  limits: NetworkLimits,
  { onFound, door, transports, isMember }: NodeNeeds,
): Promise<Libp2p> {
  let node: Libp2p | undefined
  const { relaying } = options
  node = await createLibp2p({
    privateKey: privateKeyFromProtobuf(options.identity),
    addresses: { listen: options.listen, announce: options.announce ?? [] },
    transports: transports.factories,
    services: servicesOf(relaying),
    connectionEncrypters: [noise(options.prologue && { prologueBytes: options.prologue })],
    streamMuxers: [
      yamux({
        maxInboundStreams: streamsPerConnectionMax,
        maxOutboundStreams: streamsPerConnectionMax,
        streamOptions: {
          maxStreamWindowSize: streamWindowBytesMax,
          // What a paused stream may still be sent is its window.
          maxReadBufferLength: streamWindowBytesMax + 64 * 1024,
        },
      }),
    ],
    peerDiscovery: options.mdnsName === undefined ? [] : [await discovery(options.mdnsName, onFound)],
    connectionGater: {
      denyInboundConnection: (connection) => {
        if (door.isFull) return true
        door.enter(connection)
        return false
      },
      denyInboundUpgradedConnection: (peer) =>
        (node?.getConnections(peer).length ?? 0) >= limits.connectionsPerPeerMax,
      denyInboundRelayReservation: (peer) => !isMember(peer.toString()),
      denyOutboundRelayedConnection: (from, to) => !isMember(from.toString()) || !isMember(to.toString()),
      denyInboundRelayedConnection: (relay) => !isMember(relay.toString()),
    },
    connectionManager: {
      // The door counts those that wait apart from those that were let in.
      maxConnections: limits.connectionsMax + limits.connectionsPendingMax,
      allow: loopback,
      inboundConnectionThreshold: limits.connectionsPerSecondMax,
      maxIncomingPendingConnections: Number.POSITIVE_INFINITY,
      dialTimeout: limits.dialMsMax,
      inboundUpgradeTimeout: limits.pendingMsMax,
    },
    // It would open a stream to every peer every few seconds; life.ts does it on the stream that is there.
    connectionMonitor: { enabled: false },
  })
  return node
}

function servicesOf(
  relaying: RelayingLimits | undefined,
): Record<string, ReturnType<typeof circuitRelayServer>> {
  if (relaying === undefined) return {}
  const relay = circuitRelayServer({
    maxInboundHopStreams: relayedPerConnectionMax,
    maxOutboundStopStreams: relayedPerConnectionMax,
    reservations: {
      maxReservations: relaying.peersMax,
      defaultDataLimit: BigInt(relaying.bytesMax),
      defaultDurationLimit: relaying.msMax,
    },
  })
  return { relay }
}

/** How many peers have a place at the relay that the node offers. */
export function relayedFor(node: Libp2p): number {
  const { relay } = node.services as { relay?: { reservations: { readonly size: number } } }
  return relay?.reservations.size ?? 0
}

/** Loaded only where it is wanted. */
async function discovery(
  name: string,
  onFound: FoundListener,
): Promise<ReturnType<typeof import('@libp2p/mdns').mdns>> {
  const { mdns } = await import('@libp2p/mdns')
  const start = mdns({ serviceTag: name })
  return (components) => {
    const found = start(components)
    found.addEventListener('peer', ({ detail }) =>
      onFound(detail.id.toString(), detail.multiaddrs.map(String)),
    )
    return found
  }
}
