// Streams between us and others, as they are opened and accepted: each connection is greeted on before anything passes.
//
// Invariants: nothing is read from a connection whose greeting is not over, but the greeting; who refused, or was refused,
// is not tried again at once. A direct connection is preferred to one through a relay, which is dialled where no direct address
// answers at once.

import { peerIdFromString } from '@libp2p/peer-id'
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import type { Libp2p } from 'libp2p'
import {
  type Channel,
  type Message,
  type PeerId,
  PeerRefused,
  PeerUnreachable,
} from '../../network/network.ts'
import { type Greeting, readAnswer, receive, type Stranger } from '../../network/network-greeting.ts'
import type { AddressStore } from './addresses.ts'
import type { ConnectionGate } from './connection-gate.ts'
import type { NetworkLimits } from './limits.ts'
import type { Connection, Stream } from './node.ts'
import { isRelayed } from './reach/multiaddress.ts'
import type { Transports } from './reach/transports.ts'
import { Refusals } from './refusals.ts'
import { spareWindowUpdates } from './window-updates.ts'
import { Wire } from './wire.ts'

/** By these names versions tell themselves apart: a later one offers its own first, and ours after it. */
const protocolNames = { control: '/polyhistor/control/1', bulk: '/polyhistor/bulk/1' } as const
const channels = ['control', 'bulk'] as const
// The new one may come before we hear that the old one is gone.
const streamsPerProtocolMax = 4
// So that the refusal is read before the connection ends.
const farewellMs = 1_000
// So long a direct address has before a relay is asked as well.
const directFirstMs = 400

interface StreamEvents {
  /** A stream may be used, in both directions. */
  ready(wire: Wire): void
  message(message: Message): void
  ended(wire: Wire): void
  /** A connection was greeted on, and is welcome. */
  admitted?(connection: Connection): void
}

interface StreamNeeds {
  readonly node: Libp2p
  readonly transports: Transports
  readonly book: AddressStore
  readonly greeting: Greeting
  readonly door: ConnectionGate
}

interface Pending {
  resolve(): void
  reject(error: unknown): void
}

export class Streams {
  readonly #node: Libp2p
  readonly #transports: Transports
  readonly #book: AddressStore
  readonly #greeting: Greeting
  readonly #door: ConnectionGate
  readonly #limits: NetworkLimits
  readonly #events: StreamEvents
  readonly #wires = new Set<Wire>()
  readonly #admitted = new WeakSet<Connection>()
  readonly #onRelay = new WeakSet<Stream>()
  readonly #pending = new Map<Wire, Pending>()
  readonly #refusals: Refusals

  constructor(needs: StreamNeeds, limits: NetworkLimits, events: StreamEvents) {
    this.#node = needs.node
    this.#transports = needs.transports
    this.#book = needs.book
    this.#greeting = needs.greeting
    this.#door = needs.door
    this.#limits = limits
    this.#events = events
    this.#refusals = new Refusals(limits.refusalMs)
  }

  get wires(): Iterable<Wire> {
    return this.#wires
  }

  isAdmitted(connection: Connection): boolean {
    return this.#admitted.has(connection)
  }

  /** Whether it goes through a third peer. */
  isOnRelay(stream: Stream): boolean {
    return this.#onRelay.has(stream)
  }

  async listen(): Promise<void> {
    for (const channel of channels) {
      await this.#node.handle(
        protocolNames[channel],
        (stream, connection) => this.#accept(stream, connection, channel),
        {
          maxInboundStreams: streamsPerProtocolMax,
          maxOutboundStreams: streamsPerProtocolMax,
          runOnLimitedConnection: true,
        },
      )
    }
  }

  async open(to: PeerId, channel: Channel): Promise<Stream> {
    this.#refusals.check(to)
    const signal = AbortSignal.timeout(this.#limits.dialMsMax)
    const connection = await this.#connect(to, signal)
    if (channel === 'control') return this.#openControl(connection, signal)
    if (!this.#admitted.has(connection)) await this.#openControl(connection, signal)
    const stream = await connection.newStream(protocolNames.bulk, { signal, runOnLimitedConnection: true })
    this.#read(stream, connection, 'bulk')
    return stream
  }

  /** Connects to this address, exchanges greetings, and gives the peer's id. */
  async meet(address: string): Promise<PeerId> {
    const signal = AbortSignal.timeout(this.#limits.dialMsMax)
    const connection = isRelayed(address)
      ? await this.#transports.dialRelayed(address, [address], signal)
      : await this.#node.dial(multiaddr(address), { signal })
    if (!this.#admitted.has(connection)) await this.#openControl(connection, signal)
    const peer = connection.remotePeer.toString()
    this.#book.add(peer, [address])
    return peer
  }

  async #connect(to: PeerId, signal: AbortSignal): Promise<Connection> {
    const peerId = peerIdFromString(to)
    const open = this.#node.getConnections(peerId).filter(({ status }) => status === 'open')
    const admitted = open.filter((connection) => this.#admitted.has(connection))
    const connected = admitted.find(isDirect) ?? admitted[0] ?? open.find(isDirect) ?? open[0]
    if (connected) return connected
    const addresses = this.#book.of(to)
    if (addresses.length === 0) throw new PeerUnreachable(to, 'no address of it is known')
    try {
      return await this.#dial(to, addresses, signal)
    } catch (error) {
      // libp2p would remember everybody that it ever tried; we have our own book.
      this.#node.peerStore.delete(peerId).catch(() => {})
      throw error
    }
  }

  async #dial(to: PeerId, addresses: Multiaddr[], signal: AbortSignal): Promise<Connection> {
    const relayed = addresses.map(String).filter(isRelayed)
    const direct = addresses.filter((address) => !isRelayed(address.toString()))
    if (relayed.length === 0) return this.#node.dial(direct, { signal })
    if (direct.length === 0) return this.#transports.dialRelayed(to, relayed, signal)
    const first = this.#node.dial(direct, { signal })
    first.catch(() => {})
    const isEarly = await Promise.race([
      first.then(
        () => true,
        () => false,
      ),
      new Promise<boolean>((resolve) => setTimeout(resolve, directFirstMs, false).unref()),
    ])
    if (isEarly) return first
    return Promise.any([first, this.#transports.dialRelayed(to, relayed, signal)])
  }

  /** Greets on a connection that we made. */
  async greet(connection: Connection): Promise<void> {
    if (this.#admitted.has(connection)) return
    await this.#openControl(connection, AbortSignal.timeout(this.#limits.dialMsMax))
  }

  async #openControl(connection: Connection, signal: AbortSignal): Promise<Stream> {
    const stream = await connection.newStream(protocolNames.control, { signal, runOnLimitedConnection: true })
    const wire = this.#read(stream, connection, 'control')
    const timer = setTimeout(
      () => stream.abort(new Error('it did not answer our greeting')),
      this.#limits.greetingMsMax,
    )
    const greeted = new Promise<void>((resolve, reject) => this.#pending.set(wire, { resolve, reject }))
    // When we cannot even say hello, nobody waits for the answer.
    greeted.catch(() => {})
    try {
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
    else this.#events.ready(this.#read(stream, connection, channel))
  }

  #read(stream: Stream, connection: Connection, channel: Channel): Wire {
    spareWindowUpdates(stream)
    if (!isDirect(connection)) this.#onRelay.add(stream)
    const wire = new Wire(stream, connection, channel, this.#limits, {
      greeted: (greeted, words) => this.#greet(greeted, words),
      message: (message) => this.#events.message(message),
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
    if (this.#door.isTooLate(stranger.address)) {
      wire.connection.abort(new Error('there is no more room'))
      return false
    }
    const { words, addresses } = receive(this.#greeting, stranger, hello)
    wire.say(words)
    if (addresses === undefined) sendAway(wire)
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
      // At once: whoever tries again shall not be given this connection.
      wire.connection.abort(error)
      return false
    }
  }

  #admit(wire: Wire, addresses: string[]): void {
    this.#admitted.add(wire.connection)
    this.#door.admit(wire.connection.remoteAddr.toString())
    this.#refusals.remove(wire.peer)
    this.#book.add(wire.peer, addresses)
    this.#events.ready(wire)
    this.#events.admitted?.(wire.connection)
  }

  #end(wire: Wire): void {
    this.#wires.delete(wire)
    this.#pending.get(wire)?.reject(new PeerUnreachable(wire.peer, 'it ended the greeting'))
    this.#events.ended(wire)
  }
}

function isDirect({ remoteAddr }: Connection): boolean {
  return !isRelayed(remoteAddr.toString())
}

function sendAway({ connection, stream }: Wire): void {
  stream.close().catch(() => {})
  setTimeout(() => connection.abort(new Error('not welcome')), farewellMs).unref()
}
