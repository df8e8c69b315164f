// A network in memory on virtual time: delay, loss, duplicates, reordering, partitions, machines that are down.
//
// Invariants: a message comes unchanged, from who sent it, to the process that ran when it arrived, or not at all; without
// reordering a link keeps the order. A peer that is down refuses, after a round trip, as a closed port does: the sender
// hears PeerUnreachable. A partition is silent: messages vanish, as packets do.
// Leaves out: connections, a way of its own for each channel, and what TCP does in a long partition.

import assert from 'node:assert/strict'
import {
  type Channel,
  type Message,
  MessageTooLarge,
  type Network,
  type PeerId,
  PeerUnreachable,
  type Pieces,
  sizeOf,
} from '../network/network.ts'
import { Life, never } from './life.ts'
import type { SimulatedRandom } from './random.ts'
import type { Simulation } from './simulation.ts'

/** How messages fare from one peer to another. */
export interface Link {
  delayMsMin: number
  delayMsMax: number
  /** Probabilities per message. */
  loss: number
  duplication: number
  /** How often a message takes a way of its own, and so may be overtaken or overtake. */
  reordering: number
  /** Without a limit when not given. */
  bytesPerMs?: number
}

/** A local network without faults. */
export const calm: Link = { delayMsMin: 0.2, delayMsMax: 1, loss: 0, duplication: 0, reordering: 0 }
/** The internet on a bad day. */
export const stormy: Link = { delayMsMin: 5, delayMsMax: 150, loss: 0.05, duplication: 0.02, reordering: 0.2 }

const messageBytesMaxDefault = 4 * 1024 * 1024
const addressPrefix = '/simulated/'
// How far a message on a way of its own may fall behind.
const detourAddress = 4

interface Wire {
  link: Link
  isCut: boolean
  lastArrivalMs: number
  freeAtMs: number
}

export class SimulatedNetwork {
  /** Of messages that were sent to somebody who listens. */
  messagesCarried = 0
  bytesCarried = 0
  readonly #simulation: Simulation
  readonly #random: SimulatedRandom
  readonly #ports = new Map<PeerId, Port>()
  readonly #wires = new Map<PeerId, Map<PeerId, Wire>>()
  #link: Link

  constructor(needs: { simulation: Simulation; random?: SimulatedRandom }, options: { link?: Link } = {}) {
    this.#simulation = needs.simulation
    this.#random = needs.random ?? needs.simulation.random.fork('network')
    this.#link = options.link ?? calm
  }

  /** A process begins to listen as this peer, until it closes or ends. */
  join(peer: PeerId, life: Life = new Life()): Network {
    const before = this.#ports.get(peer)
    assert(before === undefined || !before.isOpen, `peer ${peer} is listening already`)
    const port = new Port(this, peer, life)
    this.#ports.set(peer, port)
    return port
  }

  /** How messages fare from now on: between two peers, one way, or (without peers) between all. */
  setLink(link: Partial<Link>, from?: PeerId, to?: PeerId): void {
    if (from !== undefined && to !== undefined) {
      const wire = this.#wire(from, to)
      wire.link = { ...wire.link, ...link }
      return
    }
    this.#link = { ...this.#link, ...link }
    for (const wire of this.#allWires()) wire.link = { ...wire.link, ...link }
  }

  /** From now on nothing from the one reaches the other. */
  cutOneWay(from: PeerId, to: PeerId): void {
    this.#wire(from, to).isCut = true
    this.#simulation.note(from, 'cut', to)
  }

  /** From now on nothing passes between those in one group and those in the other. */
  cut(some: PeerId[], others: PeerId[]): void {
    for (const one of some) {
      for (const other of others) {
        this.cutOneWay(one, other)
        this.cutOneWay(other, one)
      }
    }
  }

  /** All cuts are mended: between two peers, or (without peers) between all. */
  heal(one?: PeerId, other?: PeerId): void {
    this.#simulation.note('network', 'heal', `${one ?? ''} ${other ?? ''}`)
    if (one !== undefined && other !== undefined) {
      this.#wire(one, other).isCut = false
      this.#wire(other, one).isCut = false
      return
    }
    for (const wire of this.#allWires()) wire.isCut = false
  }

  /** For ports: rejects when nobody listens there, else resolves when the message is on the wire. */
  carry(
    from: PeerId,
    to: PeerId,
    { bytes, channel }: Omit<Message, 'from'>,
    isDead: () => boolean,
  ): Promise<void> {
    const wire = this.#wire(from, to)
    const { link } = wire
    this.#simulation.note(from, 'send', to)
    if (wire.isCut) return Promise.resolve()
    if (!this.#ports.get(to)?.isOpen) return this.#refuse(link, to, isDead)
    this.messagesCarried++
    this.bytesCarried += bytes.length
    const message = { from, bytes, channel }
    const startMs = Math.max(this.#simulation.nowMs, wire.freeAtMs)
    if (link.bytesPerMs !== undefined) wire.freeAtMs = startMs + bytes.length / link.bytesPerMs
    const sentMs = Math.max(startMs, wire.freeAtMs)
    const copies = this.#random.chance(link.duplication) ? 2 : 1
    for (let count = 0; count < copies; count++) {
      if (!this.#random.chance(link.loss)) this.#deliver(wire, to, message, sentMs)
    }
    const waitMs = sentMs - this.#simulation.nowMs
    if (waitMs === 0) return Promise.resolve()
    return new Promise((resolve) => this.#simulation.schedule(waitMs, resolve))
  }

  #deliver(wire: Wire, to: PeerId, message: Message, sentMs: number): void {
    const { link } = wire
    const port = this.#ports.get(to)!
    const isDetour = this.#random.chance(link.reordering)
    const delayMs = this.#random.between(link.delayMsMin, link.delayMsMax) * (isDetour ? detourAddress : 1)
    let arrivalMs = sentMs + delayMs
    if (!isDetour) wire.lastArrivalMs = arrivalMs = Math.max(arrivalMs, wire.lastArrivalMs)
    this.#simulation.schedule(arrivalMs - this.#simulation.nowMs, () => {
      // What was under way when the wire was cut, or the process ended, is lost with it.
      if (wire.isCut || !port.isOpen) return
      this.#simulation.note(to, 'receive', message.from)
      port.deliver(message)
    })
  }

  #refuse(link: Link, to: PeerId, isDead: () => boolean): Promise<void> {
    const delayMs = 2 * this.#random.between(link.delayMsMin, link.delayMsMax)
    return new Promise((_, reject) =>
      this.#simulation.schedule(delayMs, () => {
        if (!isDead()) reject(new PeerUnreachable(to, 'nobody listens there'))
      }),
    )
  }

  #wire(from: PeerId, to: PeerId): Wire {
    let wires = this.#wires.get(from)
    if (wires === undefined) this.#wires.set(from, (wires = new Map()))
    let wire = wires.get(to)
    if (wire === undefined) {
      wires.set(to, (wire = { link: this.#link, isCut: false, lastArrivalMs: 0, freeAtMs: 0 }))
    }
    return wire
  }

  *#allWires(): Generator<Wire> {
    for (const wires of this.#wires.values()) yield* wires.values()
  }
}

class Port implements Network {
  readonly self: PeerId
  readonly messageBytesMax = messageBytesMaxDefault
  readonly #network: SimulatedNetwork
  readonly #life: Life
  readonly #known = new Set<PeerId>()
  #receiver: ((message: Message) => void) | undefined
  #isClosed = false

  constructor(network: SimulatedNetwork, self: PeerId, life: Life) {
    this.#network = network
    this.self = self
    this.#life = life
  }

  get isOpen(): boolean {
    return !this.#isClosed && !this.#life.isOver
  }

  addresses(): string[] {
    return [addressPrefix + this.self]
  }

  learn(peer: PeerId, addresses: string[]): void {
    if (addresses.includes(addressPrefix + peer)) this.#known.add(peer)
  }

  async send(to: PeerId, pieces: Pieces, channel: Channel = 'control'): Promise<void> {
    assert(to !== this.self, 'a message to ourselves')
    if (this.#life.isOver) return never()
    if (this.#isClosed) throw new PeerUnreachable(to, 'we have closed')
    const sizeBytes = sizeOf(pieces)
    if (sizeBytes > messageBytesMaxDefault) throw new MessageTooLarge(sizeBytes, messageBytesMaxDefault)
    if (!this.#known.has(to)) throw new PeerUnreachable(to, 'no address of it is known')
    const bytes = joined(pieces, sizeBytes)
    return this.#network.carry(this.self, to, { bytes, channel }, () => this.#life.isOver)
  }

  receive(receiver: (message: Message) => void): void {
    this.#receiver = receiver
  }

  deliver(message: Message): void {
    // Who reaches us can be answered.
    this.#known.add(message.from)
    this.#receiver?.(message)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#receiver = undefined
  }
}

const slabBytes = 64 * 1024
let slab = new ArrayBuffer(slabBytes)
let slabUsed = 0

/** Memory for a message, of a piece that is asked for once for many. */
function memory(sizeBytes: number): Uint8Array {
  if (sizeBytes > slabBytes / 8) return new Uint8Array(sizeBytes)
  if (slabUsed + sizeBytes > slabBytes) {
    slab = new ArrayBuffer(slabBytes)
    slabUsed = 0
  }
  const bytes = new Uint8Array(slab, slabUsed, sizeBytes)
  slabUsed += sizeBytes
  return bytes
}

/** A copy: the sender may use its memory again. */
function joined(pieces: Pieces, sizeBytes: number): Uint8Array {
  const bytes = memory(sizeBytes)
  if (pieces instanceof Uint8Array) {
    bytes.set(pieces)
    return bytes
  }
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
