// Messages over libp2p: node.ts makes connections, streams.ts streams on them, network-greeting.ts says who
// is let in, life.ts which connections go on living.
//
// Invariants: `from` is the peer whose key the connection was made with; per pair and channel there is one long-lived
// stream, whoever opened it; every queue has a bound (outbox.ts), and so has what strangers may cost us
// (limits.ts).

import assert from 'node:assert/strict'
import type { Libp2p } from 'libp2p'
import {
  type Channel,
  type Message,
  MessageTooLarge,
  type PeerId,
  PeerUnreachable,
  type Pieces,
  sizeOf,
} from '../../network/network.ts'
import { type Greeting, openDoor } from '../../network/network-greeting.ts'
import type {
  ConnectedPeer,
  FoundListener,
  PeerNetwork,
  ReachOptions,
  ReachView,
} from '../../network/peer-network.ts'
import { AddressStore } from './addresses.ts'
import { ConnectionGate } from './connection-gate.ts'
import { newIdentity } from './identity.ts'
import { NetworkLife } from './life.ts'
import { type NetworkLimits, networkLimitsDefault } from './limits.ts'
import { type NodeOptions, relayedFor, type Stream, startNode } from './node.ts'
import { Outbox } from './outbox.ts'
import { byReach } from './reach/multiaddress.ts'
import { Reach } from './reach/reach.ts'
import { Transports } from './reach/transports.ts'
import { Streams } from './streams.ts'
import type { Wire } from './wire.ts'

export interface NetworkOptions
  extends Partial<NetworkLimits>,
    Pick<NodeOptions, 'listen' | 'announce' | 'prologue' | 'mdnsName'> {
  /** What makes us the same peer as last time: see identity.ts. A new one when not given. */
  identity?: Uint8Array
  /** Which peers are admitted, and our own greeting. Default: all peers, no greeting. */
  greeting?: Greeting
  /** What is done so that others reach us: nothing unless told. */
  reach?: ReachOptions | undefined
}

interface Correspondence {
  readonly boxes: Record<Channel, Outbox>
  usedAtMs: number
}

/** Whom to tell of peers that are found, and to ask who is a member: the node is there first. */
interface Found {
  listener?: FoundListener
  isMember?(peer: PeerId): boolean
}

export async function startNetwork(options: NetworkOptions): Promise<RealNetwork> {
  const limits = { ...networkLimitsDefault, ...options }
  const found: Found = {}
  const door = new ConnectionGate(limits)
  const identity = options.identity ?? (await newIdentity())
  const transports = new Transports()
  const { reach, greeting = openDoor } = options
  const node = await startNode({ ...options, identity, relaying: reach?.relaying }, limits, {
    onFound: (peer, addresses) => found.listener?.(peer, addresses),
    door,
    transports,
    isMember: (peer) => found.isMember?.(peer) ?? false,
  })
  const network = new RealNetwork(node, limits, { greeting, found, door, transports, reach })
  await network.listen()
  return network
}

export class RealNetwork implements PeerNetwork {
  readonly self: PeerId
  readonly messageBytesMax: number
  readonly #node: Libp2p
  readonly #limits: NetworkLimits
  readonly #found: Found
  readonly #book = new AddressStore()
  readonly #correspondences = new Map<PeerId, Correspondence>()
  readonly #streams: Streams
  readonly #life: NetworkLife
  readonly #reach: Reach | undefined
  #receiver: ((message: Message) => void) | undefined
  #onLost: ((peer: PeerId) => void) | undefined
  #closing: Promise<void> | undefined

  constructor(
    node: Libp2p,
    limits: NetworkLimits,
    parts: {
      greeting: Greeting
      found: Found
      door: ConnectionGate
      transports: Transports
      reach: ReachOptions | undefined
    },
  ) {
    this.#node = node
    this.#limits = limits
    this.#found = parts.found
    this.self = node.peerId.toString()
    this.messageBytesMax = limits.messageBytesMax
    this.#streams = new Streams(
      { node, transports: parts.transports, book: this.#book, greeting: parts.greeting, door: parts.door },
      limits,
      {
        ready: (wire) => this.#adopt(wire),
        message: (message) => this.#take(message),
        ended: ({ peer }) => this.#forgetSpent(peer),
        admitted: (connection) => this.#reach?.admitted(connection),
      },
    )
    this.#reach =
      parts.reach &&
      new Reach(
        {
          node,
          transports: parts.transports,
          isAdmitted: (connection) => this.#streams.isAdmitted(connection),
          learn: (peer, addresses) => this.#book.add(peer, addresses),
          greet: (connection) => this.#streams.greet(connection),
          relayedFor: () => relayedFor(node),
        },
        parts.reach,
      )
    parts.found.isMember = (peer) => this.#reach?.isMember(peer) ?? false
    this.#life = new NetworkLife(
      {
        connections: () => this.#node.getConnections(),
        wires: () => this.#streams.wires,
        isAdmitted: (connection) => this.#streams.isAdmitted(connection),
        usedAtMs: (peer) => this.#correspondences.get(peer)?.usedAtMs ?? 0,
      },
      limits,
    )
    node.addEventListener('peer:disconnect', ({ detail }) => {
      node.peerStore.delete(detail).catch(() => {})
      this.#onLost?.(detail.toString())
    })
  }

  async listen(): Promise<void> {
    await this.#reach?.listen()
    await this.#streams.listen()
  }

  reach(): ReachView | undefined {
    return this.#reach?.view()
  }

  /** Those that lead here from furthest away first. */
  addresses(): string[] {
    return this.#reach?.addresses() ?? byReach(this.#node.getMultiaddrs().map(String))
  }

  learn(peer: PeerId, addresses: string[]): void {
    this.#book.add(peer, addresses)
  }

  connected(): ConnectedPeer[] {
    return this.#node
      .getConnections()
      .filter((connection) => this.#streams.isAdmitted(connection))
      .map(({ remotePeer, remoteAddr, direction }) => ({
        peer: remotePeer.toString(),
        address: remoteAddr.toString(),
        direction,
      }))
  }

  async meet(address: string): Promise<PeerId> {
    try {
      return await this.#streams.meet(address)
    } catch (error) {
      throw error instanceof PeerUnreachable ? error : new PeerUnreachable(address, reasonOf(error), error)
    }
  }

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

  async cut(peer: PeerId): Promise<void> {
    const connections = this.#node.getConnections().filter(({ remotePeer }) => remotePeer.toString() === peer)
    await Promise.allSettled(connections.map((connection) => connection.close()))
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
    await this.#reach?.end()
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

  async #open(to: PeerId, channel: Channel): Promise<Stream> {
    if (this.#closing) throw new PeerUnreachable(to, 'we have closed')
    return this.#streams.open(to, channel)
  }

  /** What a peer that is gone would leave behind. The next message to it makes new ones. */
  #forgetSpent(peer: PeerId): void {
    const boxes = this.#correspondences.get(peer)?.boxes
    if (boxes?.control.isSpent && boxes.bulk.isSpent) this.#correspondences.delete(peer)
  }

  /** Where both have opened one, both keep that of the one whose name comes first; but a direct one rather than one through a
   * relay, which is left as soon as there is the other. */
  #adopt(wire: Wire): void {
    const [opener, other] = wire.isOurs ? [this.self, wire.peer] : [wire.peer, this.self]
    const { boxes } = this.#correspondence(wire.peer)
    const isOnRelay = (stream: Stream): boolean => this.#streams.isOnRelay(stream)
    if (!isOnRelay(wire.stream)) for (const box of Object.values(boxes)) box.leave(isOnRelay)
    boxes[wire.channel].adopt(wire.stream, opener < other && !isOnRelay(wire.stream))
  }

  #take(message: Message): void {
    const correspondence = this.#correspondences.get(message.from)
    if (correspondence) correspondence.usedAtMs = performance.now()
    this.#receiver?.(message)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
