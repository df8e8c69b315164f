// A network for simulated rings: calls between peers on virtual time. Leaner than the world's simulated network, of which
// it leaves out streams of messages and their order, so that tens of millions of events are affordable.
//
// Invariants: a call ends once; a process that has ended hears and does nothing more; one that is paused does what came
// in meanwhile when it goes on. A process that ended is refused (its machine is up) or silent (its machine is off).

import { PolyhistorError } from '../../src/errors.ts'
import type { RingCalls } from '../../src/network/ring/ring.ts'
import { CallFailed, CallTimedOut } from '../../src/platform/calls/calls.ts'
import { type Clock, sleepOn, type Timer } from '../../src/platform/clock.ts'
import { type PeerId, PeerUnreachable } from '../../src/platform/network/network.ts'
import { wallStartMs } from '../../src/platform/simulated/clock.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { Simulation } from '../../src/platform/simulated/simulation.ts'

export interface FabricLink {
  delayMsMin: number
  delayMsMax: number
  /** Probability per message. */
  loss: number
}

type Handler = (from: PeerId, bytes: Uint8Array) => Promise<Uint8Array> | Uint8Array

/** What a call costs beside its bytes: the frame's header. */
const headerBytes = 9

/** Called with each answer when it is sent; what it gives is kept until the answer has arrived. */
export type AnswerWatch = (from: PeerId, question: Uint8Array, answer: Uint8Array, to: PeerId) => unknown

export class Fabric {
  readonly simulation: Simulation
  /** What was kept of the answers that are under way. */
  readonly underWay = new Set<{ kept: unknown }>()
  link: FabricLink
  watch: AnswerWatch | undefined
  bytesSent = 0
  callCount = 0
  readonly #random: SimulatedRandom
  readonly #ports = new Map<PeerId, Port>()
  #sides = new Map<PeerId, number>()

  constructor(simulation: Simulation, link: FabricLink) {
    this.simulation = simulation
    this.link = link
    this.#random = simulation.random.fork('fabric')
  }

  /** A process begins as this peer. */
  open(peer: PeerId, address: string): Port {
    const port = new Port(this, peer, address)
    this.#ports.set(peer, port)
    return port
  }

  /** From now on peers reach only those of their own side; those on none, everybody of side 0. */
  partition(sides: Map<PeerId, number>): void {
    this.#sides = sides
  }

  heal(): void {
    this.#sides = new Map()
  }

  /** The IP address where a peer is seen. */
  addressOf(peer: PeerId): string | undefined {
    return this.#ports.get(peer)?.address.split('/')[2]
  }

  carry(from: Port, to: PeerId, bytes: Uint8Array, deadlineMs: number): Promise<Uint8Array> {
    this.callCount++
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = (settle: () => void): void => {
        if (isOver) return
        isOver = true
        timer.cancel()
        settle()
      }
      const timer = from.after(deadlineMs, () => end(() => reject(new CallTimedOut(to, deadlineMs))))
      this.#send(from.self, to, bytes, () => {
        const port = this.#ports.get(to)
        if (port === undefined || port.isOver) {
          if (port === undefined || port.isRefusing)
            this.#deliver(from, () => end(() => reject(new PeerUnreachable(to, 'nobody listens there'))))
          return
        }
        port.run(() => this.#answer(from, port, bytes, (settle) => end(settle), resolve, reject))
      })
    })
  }

  #answer(
    from: Port,
    port: Port,
    question: Uint8Array,
    end: (settle: () => void) => void,
    resolve: (bytes: Uint8Array) => void,
    reject: (error: unknown) => void,
  ): void {
    const handler = port.handler
    if (handler === undefined) return
    try {
      const answer = handler(from.self, question) as Uint8Array
      const letter = { kept: this.watch?.(port.self, question, answer, from.self) }
      if (letter.kept !== undefined) this.underWay.add(letter)
      this.#send(port.self, from.self, answer, () => {
        this.underWay.delete(letter)
        if (!from.isOver) from.run(() => end(() => resolve(answer)))
      })
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      const { code, message, retry } = error
      this.#send(port.self, from.self, question, () => {
        if (!from.isOver) from.run(() => end(() => reject(new CallFailed(port.self, code, message, retry))))
      })
    }
  }

  #send(from: PeerId, to: PeerId, bytes: Uint8Array, arrive: () => void): void {
    this.bytesSent += bytes.length + headerBytes
    const isLost = this.#random.chance(this.link.loss)
    if (!isLost && !this.#isCut(from, to)) this.simulation.schedule(this.#delayMs(), arrive)
  }

  #deliver(to: Port, task: () => void): void {
    this.simulation.schedule(this.#delayMs(), () => {
      if (!to.isOver) to.run(task)
    })
  }

  #delayMs(): number {
    return this.#random.between(this.link.delayMsMin, this.link.delayMsMax)
  }

  #isCut(from: PeerId, to: PeerId): boolean {
    return (this.#sides.get(from) ?? 0) !== (this.#sides.get(to) ?? 0)
  }
}

/** One process: its clock and its calls. */
export class Port implements RingCalls, Clock {
  readonly self: PeerId
  readonly address: string
  handler: Handler | undefined
  isRefusing = true
  readonly #fabric: Fabric
  #isOver = false
  #waiting: (() => void)[] | undefined

  constructor(fabric: Fabric, self: PeerId, address: string) {
    this.#fabric = fabric
    this.self = self
    this.address = address
  }

  get isOver(): boolean {
    return this.#isOver
  }

  get isPaused(): boolean {
    return this.#waiting !== undefined
  }

  end(isRefusing: boolean): void {
    this.#isOver = true
    this.isRefusing = isRefusing
    // The port stays, to refuse or be silent; what answered does not.
    this.handler = undefined
    this.#waiting = undefined
  }

  pause(): void {
    this.#waiting ??= []
  }

  resume(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const task of waiting) this.run(task)
  }

  /** Now, or when it goes on. */
  run(task: () => void): void {
    if (this.#isOver) return
    if (this.#waiting === undefined) task()
    else this.#waiting.push(task)
  }

  addresses(): string[] {
    return [this.address]
  }

  learn(): void {}

  observedAddress(peer: PeerId): string | undefined {
    return this.#fabric.addressOf(peer)
  }

  call(peer: PeerId, bytes: Uint8Array, { deadlineMs }: { deadlineMs: number }): Promise<Uint8Array> {
    return this.#fabric.carry(this, peer, bytes, deadlineMs)
  }

  answer(handler: Handler): void {
    this.handler = handler
  }

  nowMs(): number {
    return Math.floor(wallStartMs + this.monotonicMs())
  }

  monotonicMs(): number {
    return this.#fabric.simulation.nowMs
  }

  after(delayMs: number, task: () => void): Timer {
    return this.#fabric.simulation.after(delayMs, () => this.run(task))
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal)
  }
}
