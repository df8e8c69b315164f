// Messages over libp2p: see network-node.ts for the connections, network-greeting.ts for who is let in.
//
// Invariants: `from` is the peer whose key the connection was made with; per pair and channel there is one long-lived
// stream, whoever opened it; nothing passes on a connection whose greeting is not over; every queue has a bound
// (outbox.ts), and so has what strangers may cost us (network-limits.ts).

import assert from 'node:assert/strict'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import type { Libp2p } from 'libp2p'
import {
  type Channel,
  type Message,
  MessageTooLarge,
  type Network,
  type PeerId,
  PeerRefused,
  PeerUnreachable,
  type Pieces,
  sizeOf,
} from '../network.ts'
import { AddressBook, byReach } from './network-addresses.ts'
import { type Greeting, openDoor, readAnswer, receive, type Stranger } from './network-greeting.ts'
import { newIdentity } from './network-identity.ts'
import { NetworkLife } from './network-life.ts'
import { type NetworkLimits, networkLimitsDefault } from './network-limits.ts'
import {
  type Connection,
  type FoundListener,
  type NodeOptions,
  type Stream,
  startNode,
} from './network-node.ts'
import { Refusals } from './network-refusals.ts'
import { Wire } from './network-wire.ts'
import { Outbox } from './outbox.ts'

/** By these names versions tell themselves apart: a later one offers its own first, and ours after it. */
const protocolNames = { control: '/polyhistor/control/1', bulk: '/polyhistor/bulk/1' } as const
const channels = ['control', 'bulk'] as const
// The new one may come before we hear that the old one is gone.
const streamsPerProtocolMax = 4
// So that the word of refusal is read before the connection ends.
const farewellMs = 1_000

export interface NetworkOptions
  extends Partial<NetworkLimits>,
    Pick<NodeOptions, 'listen' | 'announce' | 'prologue' | 'mdnsName'> {
  /** What makes us the same peer as last time: see network-identity.ts. A new one when not given. */
  identity?: Uint8Array
  /** Whom we let in, and what we say to be let in. Everybody and nothing when not given. */
  greeting?: Greeting
}

/** Somebody that a connection leads to. */
export interface ConnectedPeer {
  readonly peer: PeerId
  readonly address: string
  readonly direction: 'inbound' | 'outbound'
}

type NodePeerId = Libp2p['peerId']

interface Correspondence {
  readonly boxes: Record<Channel, Outbox>
  usedAtMs: number
}

/** Whom to tell of peers that are found: the node is there first. */
interface Found {
  listener?: FoundListener
}

interface Pending {
  resolve(): void
  reject(error: unknown): void
}

export async function startNetwork(options: NetworkOptions): Promise<RealNetwork> {
  const limits = { ...networkLimitsDefault, ...options }
  const found: Found = {}
  const identity = options.identity ?? (await newIdentity())
  const node = await startNode({ ...options, identity }, limits, (peer, addresses) =>
    found.listener?.(peer, addresses),
  )
  const network = new RealNetwork(node, limits, { greeting: options.greeting ?? openDoor, found })
  await network.listen()
  return network
}

export class RealNetwork implements Network {
  readonly self: PeerId
  readonly messageBytesMax: number
  readonly #node: Libp2p
  readonly #limits: NetworkLimits
  readonly #greeting: Greeting
  readonly #found: Found
  readonly #book = new AddressBook()
  readonly #correspondences = new Map<PeerId, Correspondence>()
  readonly #wires = new Set<Wire>()
  readonly #admitted = new WeakSet<Connection>()
  readonly #pending = new Map<Wire, Pending>()
  readonly #refusals: Refusals
  readonly #life: NetworkLife
  #receiver: ((message: Message) => void) | undefined
  #onLost: ((peer: PeerId) => void) | undefined
  #closing: Promise<void> | undefined

  constructor(node: Libp2p, limits: NetworkLimits, parts: { greeting: Greeting; found: Found }) {
    this.#node = node
    this.#limits = limits
    this.#greeting = parts.greeting
    this.#found = parts.found
    this.self = node.peerId.toString()
    this.messageBytesMax = limits.messageBytesMax
    this.#refusals = new Refusals(limits.refusalMs)
    this.#life = new NetworkLife(
      {
        connections: () => this.#node.getConnections(),
        wires: () => this.#wires,
        isAdmitted: (connection) => this.#admitted.has(connection),
        usedAtMs: (peer) => this.#correspondences.get(peer)?.usedAtMs ?? 0,
      },
      limits,
    )
    node.addEventListener('peer:disconnect', ({ detail }) => {
      this.#forgetInNode(detail)
      this.#onLost?.(detail.toString())
    })
  }

  async listen(): Promise<void> {
    for (const channel of channels) {
      await this.#node.handle(
        protocolNames[channel],
        (stream, connection) => this.#accept(stream, connection, channel),
        { maxInboundStreams: streamsPerProtocolMax, maxOutboundStreams: streamsPerProtocolMax },
      )
    }
  }

  /** Those that lead here from furthest away first. */
  addresses(): string[] {
    return byReach(this.#node.getMultiaddrs().map(String))
  }

  learn(peer: PeerId, addresses: string[]): void {
    this.#book.add(peer, addresses)
  }

  /** Where this peer can be reached, as far as is known. */
  addressesOf(peer: PeerId): string[] {
    return this.#book.of(peer).map(String)
  }

  /** Who is connected, and from where it really comes. */
  connected(): ConnectedPeer[] {
    return this.#node
      .getConnections()
      .filter((connection) => this.#admitted.has(connection))
      .map(({ remotePeer, remoteAddr, direction }) => ({
        peer: remotePeer.toString(),
        address: remoteAddr.toString(),
        direction,
      }))
  }

  /** Goes to this address, greets whoever is there, and tells who that is. */
  async meet(address: string): Promise<PeerId> {
    const signal = AbortSignal.timeout(this.#limits.dialMsMax)
    try {
      const connection = await this.#node.dial(multiaddr(address), { signal })
      const peer = connection.remotePeer.toString()
      if (!this.#admitted.has(connection)) await this.#openControl(connection, signal)
      this.#book.add(peer, [address])
      return peer
    } catch (error) {
      throw error instanceof PeerUnreachable ? error : new PeerUnreachable(address, reasonOf(error), error)
    }
  }

  /** Tells of peers on the local network. One listener at a time. */
  onFound(listener: FoundListener): void {
    this.#found.listener = listener
  }

  onLost(listener: (peer: PeerId) => void): void {
    this.#onLost = listener
  }

  async send(to: PeerId, pieces: Pieces, channel: Channel = 'control'): Promise<void> {
    assert(to !== this.self, 'a message to ourselves')
    if (this.#closing) throw new PeerUnreachable(to, 'we have closed')
    const sizeBytes = sizeOf(pieces)
    if (sizeBytes > this.messageBytesMax) throw new MessageTooLarge(sizeBytes, this.messageBytesMax)
    const correspondence = this.#correspondence(to)
    correspondence.usedAtMs = performance.now()
    try {
      await correspondence.boxes[channel].send(pieces)
    } catch (error) {
      this.#forgetSpent(to)
      throw error
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
    this.#life.end()
    this.#receiver = undefined
    for (const { boxes } of this.#correspondences.values()) {
      boxes.control.close()
      boxes.bulk.close()
    }
    this.#correspondences.clear()
    await this.#node.stop()
  }

  #correspondence(peer: PeerId): Correspondence {
    let correspondence = this.#correspondences.get(peer)
    if (correspondence === undefined) {
      const box = (channel: Channel): Outbox =>
        new Outbox(peer, () => this.#open(peer, channel), this.#limits.queueBytesMax)
      correspondence = { boxes: { control: box('control'), bulk: box('bulk') }, usedAtMs: performance.now() }
      this.#correspondences.set(peer, correspondence)
    }
    return correspondence
  }

  /** What a peer that is gone would leave behind. The next message to it makes new ones. */
  #forgetSpent(peer: PeerId): void {
    const boxes = this.#correspondences.get(peer)?.boxes
    if (boxes?.control.isSpent && boxes.bulk.isSpent) this.#correspondences.delete(peer)
  }

  async #open(to: PeerId, channel: Channel): Promise<Stream> {
    if (this.#closing) throw new PeerUnreachable(to, 'we have closed')
    this.#refusals.check(to)
    const signal = AbortSignal.timeout(this.#limits.dialMsMax)
    const connection = await this.#connect(to, signal)
    if (channel === 'control') return this.#openControl(connection, signal)
    if (!this.#admitted.has(connection)) await this.#openControl(connection, signal)
    const stream = await connection.newStream(protocolNames.bulk, { signal })
    this.#read(stream, connection, 'bulk')
    return stream
  }

  async #connect(to: PeerId, signal: AbortSignal): Promise<Connection> {
    const open = this.#node.getConnections(peerIdFromString(to)).filter(({ status }) => status === 'open')
    const connected = open.find((connection) => this.#admitted.has(connection)) ?? open[0]
    if (connected) return connected
    const addresses = this.#book.of(to)
    if (addresses.length === 0) throw new PeerUnreachable(to, 'no address of it is known')
    try {
      return await this.#node.dial(addresses, { signal })
    } catch (error) {
      this.#forgetInNode(peerIdFromString(to))
      throw error
    }
  }

  /** libp2p would remember everybody it ever met; we have our own book. */
  #forgetInNode(peer: NodePeerId): void {
    this.#node.peerStore.delete(peer).catch(() => {})
  }

  async #openControl(connection: Connection, signal: AbortSignal): Promise<Stream> {
    const stream = await connection.newStream(protocolNames.control, { signal })
    const wire = this.#read(stream, connection, 'control')
    const timer = setTimeout(
      () => stream.abort(new Error('it did not answer our greeting')),
      this.#limits.greetingMsMax,
    )
    try {
      const greeted = new Promise<void>((resolve, reject) => this.#pending.set(wire, { resolve, reject }))
      if (!wire.isOpen) throw new Error('the stream ended')
      wire.say(this.#greeting.hello())
      await greeted
    } finally {
      clearTimeout(timer)
      this.#pending.delete(wire)
    }
    return stream
  }

  #accept(stream: Stream, connection: Connection, channel: Channel): void {
    if (channel === 'control') this.#read(stream, connection, channel)
    else if (!this.#admitted.has(connection)) stream.abort(new Error('bulk before the greeting'))
    else this.#adopt(this.#read(stream, connection, channel))
  }

  #read(stream: Stream, connection: Connection, channel: Channel): Wire {
    const wire = new Wire(stream, connection, channel, this.#limits, {
      greeted: (greeted, words) => this.#greet(greeted, words),
      message: (message) => this.#take(message),
      ended: (ended) => this.#end(ended),
    })
    this.#wires.add(wire)
    return wire
  }

  #greet(wire: Wire, words: Uint8Array): boolean {
    const stranger: Stranger = { peer: wire.peer, address: wire.connection.remoteAddr.toString() }
    return wire.isOurs ? this.#hearAnswer(wire, stranger, words) : this.#hearHello(wire, stranger, words)
  }

  #hearHello(wire: Wire, stranger: Stranger, hello: Uint8Array): boolean {
    const { words, addresses } = receive(this.#greeting, stranger, hello)
    wire.say(words)
    if (addresses === undefined) this.#sendAway(wire)
    else this.#admit(wire, addresses)
    return addresses !== undefined
  }

  #hearAnswer(wire: Wire, stranger: Stranger, words: Uint8Array): boolean {
    const pending = this.#pending.get(wire)
    try {
      this.#admit(wire, readAnswer(this.#greeting, stranger, words))
      pending?.resolve()
      return true
    } catch (error) {
      if (!(error instanceof PeerRefused)) throw error
      this.#refusals.add(error)
      pending?.reject(error)
      this.#sendAway(wire)
      return false
    }
  }

  #admit(wire: Wire, addresses: string[]): void {
    this.#admitted.add(wire.connection)
    this.#refusals.remove(wire.peer)
    this.#book.add(wire.peer, addresses)
    this.#adopt(wire)
  }

  #adopt(wire: Wire): void {
    const [opener, other] = wire.isOurs ? [this.self, wire.peer] : [wire.peer, this.self]
    this.#correspondence(wire.peer).boxes[wire.channel].adopt(wire.stream, opener < other)
  }

  #sendAway({ connection, stream }: Wire): void {
    stream.close().catch(() => {})
    setTimeout(() => connection.abort(new Error('not welcome')), farewellMs).unref()
  }

  #take(message: Message): void {
    const correspondence = this.#correspondences.get(message.from)
    if (correspondence) correspondence.usedAtMs = performance.now()
    this.#receiver?.(message)
  }

  #end(wire: Wire): void {
    this.#wires.delete(wire)
    this.#pending.get(wire)?.reject(new PeerUnreachable(wire.peer, 'it ended the greeting'))
    this.#forgetSpent(wire.peer)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
