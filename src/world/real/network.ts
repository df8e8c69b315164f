// Messages over libp2p: TCP, encrypted by Noise, many streams on one connection by yamux.
//
// Invariants: `from` is the peer whose key the connection was made with; per pair and direction there is one long-lived
// stream; every queue has a bound (outbox.ts). A stream that does not keep to the format is reset, with what it carried.
// Leaves to later: streams of their own for bulk, how many connections in all, finding peers.

import assert from 'node:assert/strict'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { generateKeyPair, privateKeyFromProtobuf, privateKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromString } from '@libp2p/peer-id'
import { tcp } from '@libp2p/tcp'
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import { createLibp2p, type Libp2p } from 'libp2p'
import { type Message, MessageTooLarge, type Network, type PeerId, PeerUnreachable } from '../network.ts'
import { FrameReader } from './frames.ts'
import { type Connection, Outbox, type Stream } from './outbox.ts'

const protocolName = '/polyhistor/messages/1'
const peersMax = 65_536
const peerAddressesMax = 16
// The new one may come before we hear that the old one is gone.
const streamsPerConnectionMax = 4

export interface NetworkOptions {
  /** What makes us the same peer as last time: see newIdentity(). A new one when not given. */
  identity?: Uint8Array
  /** Where to listen, as multiaddresses. */
  listen: string[]
  /** The largest message. Larger ones hold up what is behind them for longer, and take memory at both ends. */
  messageBytesMax?: number
  /** What may wait to be sent to one peer before more is refused. */
  queueBytesMax?: number
  /** How long to try to reach a peer. Shorter finds dead ones sooner, and gives up on slow ones. */
  dialMsMax?: number
}

/** A new peer's key, to be kept secret and to be kept. */
export async function newIdentity(): Promise<Uint8Array> {
  return privateKeyToProtobuf(await generateKeyPair('Ed25519'))
}

export async function startNetwork(options: NetworkOptions): Promise<RealNetwork> {
  const identity = options.identity ?? (await newIdentity())
  const node = await createLibp2p({
    privateKey: privateKeyFromProtobuf(identity),
    addresses: { listen: options.listen },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
  })
  const network = new RealNetwork(node, options)
  await network.listen()
  return network
}

export class RealNetwork implements Network {
  readonly self: PeerId
  readonly messageBytesMax: number
  readonly #node: Libp2p
  readonly #queueBytesMax: number
  readonly #dialMsMax: number
  readonly #addresses = new Map<PeerId, Multiaddr[]>()
  readonly #outboxes = new Map<PeerId, Outbox>()
  #receiver: ((message: Message) => void) | undefined
  #closing: Promise<void> | undefined

  constructor(node: Libp2p, options: NetworkOptions) {
    this.#node = node
    this.self = node.peerId.toString()
    this.messageBytesMax = options.messageBytesMax ?? 4 * 1024 * 1024
    this.#queueBytesMax = options.queueBytesMax ?? 16 * 1024 * 1024
    this.#dialMsMax = options.dialMsMax ?? 10_000
  }

  async listen(): Promise<void> {
    await this.#node.handle(protocolName, (stream, connection) => this.#accept(stream, connection), {
      maxInboundStreams: streamsPerConnectionMax,
      maxOutboundStreams: streamsPerConnectionMax,
    })
  }

  addresses(): string[] {
    return this.#node.getMultiaddrs().map(String)
  }

  learn(peer: PeerId, addresses: string[]): void {
    const known = this.#addresses.get(peer) ?? []
    const fresh = addresses.flatMap((address) => parseAddress(peer, address))
    const all = new Map([...fresh, ...known].map((address) => [address.toString(), address]))
    // The latest heard of stays longest.
    this.#addresses.delete(peer)
    this.#addresses.set(peer, [...all.values()].slice(0, peerAddressesMax))
    if (this.#addresses.size > peersMax) this.#addresses.delete(this.#addresses.keys().next().value!)
  }

  async send(to: PeerId, bytes: Uint8Array): Promise<void> {
    assert(to !== this.self, 'a message to ourselves')
    if (this.#closing) throw new PeerUnreachable(to, 'we have closed')
    if (bytes.length > this.messageBytesMax) throw new MessageTooLarge(bytes.length, this.messageBytesMax)
    let outbox = this.#outboxes.get(to)
    if (outbox === undefined) {
      outbox = new Outbox(to, () => this.#openStream(to), this.#queueBytesMax)
      this.#outboxes.set(to, outbox)
    }
    try {
      await outbox.send(bytes)
    } finally {
      this.#forgetSpent(to)
    }
  }

  receive(receiver: (message: Message) => void): void {
    this.#receiver = receiver
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#receiver = undefined
    for (const outbox of this.#outboxes.values()) outbox.close()
    this.#outboxes.clear()
    await this.#node.stop()
  }

  async #openStream(to: PeerId): Promise<Stream> {
    if (this.#closing) throw new PeerUnreachable(to, 'we have closed')
    const signal = AbortSignal.timeout(this.#dialMsMax)
    const connection = await this.#connect(to, signal)
    const stream = await connection.newStream(protocolName, { signal })
    stream.addEventListener('close', () => this.#forgetSpent(to))
    return stream
  }

  /** What a peer that is gone would leave behind. The next message to it makes a new outbox. */
  #forgetSpent(peer: PeerId): void {
    if (this.#outboxes.get(peer)?.isSpent) this.#outboxes.delete(peer)
  }

  async #connect(to: PeerId, signal: AbortSignal): Promise<Connection> {
    const peerId = peerIdFromString(to)
    const connected = this.#node.getConnections(peerId).find(({ status }) => status === 'open')
    if (connected) return connected
    const addresses = this.#addresses.get(to) ?? []
    if (addresses.length === 0) throw new PeerUnreachable(to, 'no address of it is known')
    return this.#node.dial(addresses, { signal })
  }

  #accept(stream: Stream, connection: Connection): void {
    const from = connection.remotePeer.toString()
    const reader = new FrameReader(this.messageBytesMax)
    stream.addEventListener('message', ({ data }) => {
      try {
        for (const bytes of reader.read(data.subarray())) this.#receiver?.({ from, bytes })
      } catch (error) {
        if (!(error instanceof MessageTooLarge)) throw error
        stream.abort(error)
      }
    })
    // The sender is done with this stream: so are we.
    stream.addEventListener(
      'remoteCloseWrite',
      () => void stream.close().catch(() => stream.abort(new Error('gone'))),
    )
  }
}

/** Addresses come from other peers: what is no address is left out. */
function parseAddress(peer: PeerId, address: string): Multiaddr[] {
  try {
    const parsed = multiaddr(address)
    const suffix = `/p2p/${peer}`
    if (address.endsWith(suffix)) return [parsed]
    // An address that names another peer would lead there.
    return address.includes('/p2p/') ? [] : [parsed.encapsulate(suffix)]
  } catch {
    return []
  }
}
