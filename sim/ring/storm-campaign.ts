// One seed's campaign in bad weather: messages are lost, peers pause, the network parts and heals, many die at once, the
// dead come back under their old names. No protocol keeps its promises meanwhile; this one must come back: once the faults
// stop, the ring is ideal within the promised number of stabilisation rounds, and every lookup finds the right owner.

import assert from 'node:assert/strict'
import type { RingKey } from '../../src/model/ring-key.ts'
import { positionsMax } from '../../src/network/ring/protocol/place.ts'
import type { Rules } from '../../src/network/ring/protocol/rules.ts'
import { ringOptionsDefault } from '../../src/network/ring/ring-options.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { firstNotIdeal, idealOwner } from './ideal-ring.ts'
import { describe, RingChecker } from './ring-checker.ts'
import { RingViolation } from './ring-violation.ts'
import { RingWorld, type SimulatedPeer } from './ring-world.ts'

export interface StormFigures {
  events: number
  faults: number
  rounds: number
  lookups: number
  traceHash: string
}

export interface StormOptions {
  seed: string
  peers?: number
  /** Faults stop after so many, if not before. */
  minutes?: number
  /** Peers that go on take and give up places, too. */
  hasMoves?: boolean
  rules?: Rules
}

const { stabiliseMs } = ringOptionsDefault
const roundsMaxSmall = 10
const roundsMaxLarge = 30
const smallRing = 64
const lookupsAtEnd = 20

export async function runStormCampaign(options: StormOptions): Promise<StormFigures> {
  return new StormCampaign(options).run()
}

class StormCampaign {
  readonly #world: RingWorld
  readonly #checker: RingChecker
  readonly #random: SimulatedRandom
  readonly #successorsMax: number
  readonly #peers: number
  readonly #hasMoves: boolean
  readonly #numbers = new Map<string, number>()
  readonly #dead: number[] = []
  /** When the weather clears. */
  readonly #untilMs: number
  #faults = 0
  #started = 0

  constructor({ seed, peers, minutes, hasMoves = false, rules }: StormOptions) {
    this.#hasMoves = hasMoves
    const random = new RingWorld({ seed, link: clear, ring: {} }).random.fork('shape')
    this.#successorsMax = peers === undefined ? 4 + random.below(13) : 16
    this.#peers = peers ?? 1 + random.below(24)
    this.#untilMs = (minutes ?? Number.POSITIVE_INFINITY) * 60_000
    this.#world = new RingWorld({
      seed,
      link: clear,
      ring: { successorsMax: this.#successorsMax },
      ...(rules && { rules }),
    })
    this.#random = this.#world.random.fork('storm')
    this.#checker = new RingChecker(this.#world, { successorsMax: this.#successorsMax, isStrict: false })
  }

  async run(): Promise<StormFigures> {
    for (let count = 0; count < this.#peers; count++) {
      this.#start(this.#started++)
      if (count % 10 === 0) await this.#advance(2_000)
    }
    await this.#advance(20_000)
    const faults = 3 + this.#random.below(5)
    for (let count = 0; count < faults && !this.#isOver(); count++) await this.#someFault()
    const rounds = await this.#settle()
    const lookups = await this.#lookUpAll()
    const { simulation } = this.#world
    return {
      events: simulation.eventCount,
      faults: this.#faults,
      rounds,
      lookups,
      traceHash: simulation.trace.hash,
    }
  }

  #start(number: number): void {
    const peer = this.#world.begin({ number, ring: { positions: 1 + this.#random.below(2) } })
    this.#numbers.set(peer.name, number)
    const others = [...this.#world.peers.values()].filter((other) => other !== peer)
    // Two that are known from elsewhere: an invitation, a file of remembered peers.
    const bootstrap = others.slice(0, 2)
    void this.#world.join(peer, () => bootstrap)
  }

  async #someFault(): Promise<void> {
    const faults = [
      () => this.#loseMessages(),
      () => this.#part(),
      () => this.#pauseSome(),
      () => this.#killMany(),
      () => this.#comeBack(),
      () => this.#join(),
      ...(this.#hasMoves ? [() => this.#movePlaces()] : []),
    ]
    this.#faults++
    await faults[this.#random.below(faults.length)]!()
  }

  async #loseMessages(): Promise<void> {
    this.#world.fabric.link = { ...clear, loss: this.#random.between(0.05, 0.4), delayMsMax: 400 }
    await this.#someTime()
    this.#world.fabric.link = clear
  }

  async #part(): Promise<void> {
    const parts = 2 + this.#random.below(2)
    const sides = [...this.#world.peers.keys()].map((name) => [name, this.#random.below(parts)] as const)
    this.#world.fabric.partition(new Map(sides))
    await this.#someTime()
    this.#world.fabric.heal()
    if (this.#random.chance(0.5)) await this.#last(this.#random.between(0, 5_000))
  }

  async #pauseSome(): Promise<void> {
    const paused = this.#some(0.3)
    for (const { port } of paused) port.pause()
    await this.#someTime()
    for (const { port } of paused) port.resume()
  }

  /** Never all that others began with: whom nobody remembers, nobody finds again. */
  async #killMany(): Promise<void> {
    for (const peer of this.#some(0.4).filter(({ name }) => this.#numbers.get(name)! >= 2)) {
      this.#dead.push(this.#numbers.get(peer.name)!)
      this.#world.kill(peer, this.#random.chance(0.5))
      this.#checker.died(peer)
    }
    if (this.#random.chance(0.5)) await this.#someTime()
  }

  async #comeBack(): Promise<void> {
    for (const number of this.#dead.splice(0)) this.#start(number)
    await this.#last(this.#random.between(0, 5_000))
  }

  async #join(): Promise<void> {
    for (let count = 1 + this.#random.below(4); count > 0; count--) this.#start(this.#started++)
    await this.#last(this.#random.between(0, 3_000))
  }

  /** Some take a place, or give one up, whatever the weather. */
  async #movePlaces(): Promise<void> {
    for (const { node } of this.#some(0.5)) {
      const [first, ...more] = node.positions
      const index = this.#random.below(positionsMax)
      if (more.length === 0) void node.takePlace(index)
      else node.givePlace(this.#random.chance(0.5) ? first!.machine.self.index : more[0]!.machine.self.index)
    }
    await this.#last(this.#random.between(0, 3_000))
  }

  #some(share: number): SimulatedPeer[] {
    return [...this.#world.peers.values()].filter(() => this.#random.chance(share))
  }

  async #someTime(): Promise<void> {
    await this.#last(this.#random.between(1_000, 60_000))
  }

  /** So long, or until the weather clears. */
  async #last(durationMs: number): Promise<void> {
    const leftMs = this.#untilMs - this.#world.simulation.nowMs
    await this.#advance(Math.max(0, Math.min(durationMs, leftMs)))
  }

  #isOver(): boolean {
    return this.#world.simulation.nowMs >= this.#untilMs
  }

  async #settle(): Promise<number> {
    const { simulation } = this.#world
    let startMs = simulation.nowMs
    const joinedByMs = startMs + 60_000
    for (;;) {
      const isJoining = [...this.#world.peers.values()].some(({ node }) =>
        node.positions.some(({ machine }) => machine.status !== 'member'),
      )
      // Those that still join are not yet part of what must heal.
      if (isJoining) startMs = simulation.nowMs
      const members = this.#world.members()
      const position = isJoining ? undefined : firstNotIdeal(members, this.#successorsMax)
      if (!isJoining && position === undefined) return (simulation.nowMs - startMs) / stabiliseMs
      const rounds = (simulation.nowMs - startMs) / stabiliseMs
      if (
        rounds > (members.size <= smallRing ? roundsMaxSmall : roundsMaxLarge) ||
        simulation.nowMs > joinedByMs
      )
        throw this.#violated(
          'liveness',
          isJoining
            ? 'a peer cannot join'
            : `not ideal after ${rounds} rounds: ${describe(position!)} of ${[...members.keys()].map((place) => place.slice(0, 6)).join(' ')}`,
        )
      await this.#advance(stabiliseMs / 4)
    }
  }

  /** From everywhere, for the same keys: all find whom they should. */
  async #lookUpAll(): Promise<number> {
    // What the dead owned is taken over a little later.
    await this.#advance(15_000)
    const members = this.#world.members()
    let count = 0
    for (let number = 0; number < lookupsAtEnd; number++) {
      const key = Buffer.from(this.#random.bytes(20)).toString('hex') as RingKey
      const expected = idealOwner(members, key).machine.self.place
      const peer = this.#world.someLive()
      const { owner } = await this.#world.simulation.complete(peer.node.lookup(key))
      assert.equal(owner.position, expected, `${peer.name} found another owner of ${key}`)
      count++
    }
    return count
  }

  async #advance(durationMs: number): Promise<void> {
    await this.#world.simulation.advance(durationMs)
    const { violation } = this.#checker
    if (violation) throw this.#violated(violation.rule, violation.detail)
  }

  #violated(rule: string, detail: string): RingViolation {
    const { nowMs, eventCount } = this.#world.simulation
    return new RingViolation(rule, detail, this.#checker.violation?.atMs ?? nowMs, eventCount)
  }
}

const clear = { delayMsMin: 0.5, delayMsMax: 60, loss: 0 }
