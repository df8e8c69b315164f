// One seed's campaign under P. Zave's assumptions: peers join, leave and die at all moments, but a base of them lasts, who is
// taken for dead is dead, and no member loses all its successors at once. Under these nothing may ever go wrong. Chance alone
// would seldom hit the moments that matter, so some deaths follow right upon a joining: that of the newcomer, of its
// successor, or of its predecessor. Peers run with the product's own options, but for the length of their lists.
//
// Invariant: the same seed gives the same events.

import { PolyhistorError } from '../../src/errors.ts'
import type { RingKey } from '../../src/model/ring-key.ts'
import type { Position } from '../../src/network/ring/position.ts'
import { positionsMax } from '../../src/network/ring/protocol/place.ts'
import type { Rules } from '../../src/network/ring/protocol/rules.ts'
import type { Contact } from '../../src/network/ring/ring.ts'
import { ringOptionsDefault } from '../../src/network/ring/ring-options.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { firstNotIdeal } from './ideal-ring.ts'
import { RingChecker } from './ring-checker.ts'
import { RingViolation } from './ring-violation.ts'
import { RingWorld, type SimulatedPeer } from './ring-world.ts'

export interface CampaignOptions {
  seed: string
  /** Peers that are there on average; drawn by the seed when not given. */
  peers?: number
  minutes?: number
  /** Mean minutes that a peer stays. */
  sessionMinutes?: number
  /** Peers that go on take and give up places, too. */
  hasMoves?: boolean
  rules?: Rules
}

export interface CampaignFigures {
  events: number
  joins: number
  deaths: number
  /** Places that were taken or given up by peers that went on. */
  moves: number
  lookups: number
  lookupsFailed: number
  /** Stabilisation rounds from the last fault to the ideal ring. */
  rounds: number
  traceHash: string
}

const { stabiliseMs } = ringOptionsDefault
const stepMs = 250
const joinsAtOnce = 20
/** How often a peer that goes on takes or gives up a place. */
const movesPerStep = 0.05
/** About so many messages tell the neighbours of a newcomer, each sent this much after the last: deaths in between matter. */
const messagesOfJoining = 4
const hurryMs = stabiliseMs / 20
/** Within which a death has been noticed by all whom it concerns; besides a round for each place in a list. */
const repairMs = 8_000
/** Joining takes a lookup, and a few when the ring is busy healing. */
const joinMsMax = 60_000
const roundsMaxSmall = 10
const roundsMaxLarge = 30
const smallRing = 64

interface Shape {
  successorsMax: number
  basePeers: number
  peers: number
  minutes: number
  sessionMs: number
  delayMsMax: number
  positionsMax: number
}

export async function runCalmCampaign(options: CampaignOptions): Promise<CampaignFigures> {
  return new CalmCampaign(options).run()
}

class CalmCampaign {
  readonly #world: RingWorld
  readonly #checker: RingChecker
  readonly #random: SimulatedRandom
  readonly #shape: Shape
  /** Begins with all its peers; else they come with time. */
  readonly #isFull: boolean
  readonly #hasMoves: boolean
  readonly #figures = { joins: 0, deaths: 0, moves: 0, lookups: 0, lookupsFailed: 0 }
  /** Of the positions that died in the last while. */
  #deathsMs: number[] = []
  #isStriking = false
  #joining = 0
  #leaving = 0

  constructor(options: CampaignOptions) {
    const { seed, rules } = options
    this.#shape = shapeOf(options)
    this.#isFull = options.peers !== undefined
    this.#hasMoves = options.hasMoves ?? false
    const { successorsMax, delayMsMax } = this.#shape
    this.#world = new RingWorld({
      seed,
      link: { delayMsMin: 0.5, delayMsMax, loss: 0 },
      ring: { successorsMax },
      ...(rules && { rules }),
    })
    this.#random = this.#world.random.fork('campaign')
    this.#checker = new RingChecker(this.#world, { successorsMax, isStrict: true })
    this.#checker.joined = (position) => this.#strikeAfter(position)
  }

  async run(): Promise<CampaignFigures> {
    await this.#begin()
    await this.#churn()
    this.#isStriking = false
    const rounds = await this.#settle()
    const { simulation } = this.#world
    return { events: simulation.eventCount, ...this.#figures, rounds, traceHash: simulation.trace.hash }
  }

  /** The base, one after the other, until it is a ring. */
  async #begin(): Promise<void> {
    const base: SimulatedPeer[] = []
    for (let count = 0; count < this.#shape.basePeers; count++) {
      const peer = this.#start(true)
      this.#joining++
      void this.#world.join(peer, () => base.slice(0, 3)).then(() => this.#joining--)
      await this.#settle()
      base.push(peer)
    }
    this.#checker.setBase(base)
    if (this.#isFull) await this.#fill()
  }

  /** Everybody else, many at a time. */
  async #fill(): Promise<void> {
    for (let count = 0; count < this.#shape.peers; count++) {
      this.#join()
      if (count % joinsAtOnce === 0) await this.#advance(stepMs)
    }
    await this.#settle()
  }

  async #churn(): Promise<void> {
    this.#isStriking = true
    const { minutes, peers, sessionMs } = this.#shape
    const untilMs = this.#world.simulation.nowMs + minutes * 60_000
    while (this.#world.simulation.nowMs < untilMs) {
      const live = this.#world.peers.size
      // As many go on average as come: the more there are, the likelier one goes.
      if (this.#random.chance((stepMs / sessionMs) * peers)) this.#joinSome()
      if (this.#random.chance((stepMs / sessionMs) * (live - this.#shape.basePeers))) this.#depart()
      if (this.#random.chance(0.3)) this.#lookUp()
      if (this.#hasMoves && this.#random.chance(movesPerStep)) this.#movePlace()
      this.#checker.checkOwners()
      await this.#advance(stepMs)
    }
  }

  /** Rounds until the ring is ideal. */
  async #settle(): Promise<number> {
    const { simulation } = this.#world
    const joinedByMs = simulation.nowMs + joinMsMax
    while (this.#joining + this.#leaving > 0) {
      if (simulation.nowMs > joinedByMs) throw this.#violated('liveness', 'a peer cannot join')
      await this.#advance(stepMs)
    }
    const startMs = simulation.nowMs
    for (;;) {
      const rounds = (simulation.nowMs - startMs) / stabiliseMs
      const members = this.#world.members()
      const position = firstNotIdeal(members, this.#shape.successorsMax)
      if (position === undefined) return rounds
      const roundsMax = members.size <= smallRing ? roundsMaxSmall : roundsMaxLarge
      if (rounds > roundsMax) {
        const { self } = position.machine
        throw this.#violated('liveness', `${self.place.slice(0, 6)} is not ideal after ${rounds} rounds`)
      }
      await this.#advance(stepMs)
    }
  }

  #start(isBase: boolean): SimulatedPeer {
    const positions = 1 + this.#random.below(this.#shape.positionsMax)
    return this.#world.begin({ isBase, ring: { positions } })
  }

  /** One, mostly; now and then several at once, which meet in the same gap. */
  #joinSome(): void {
    const count = this.#random.chance(0.2) ? 2 + this.#random.below(4) : 1
    for (let one = 0; one < count; one++) this.#join()
  }

  #join(): void {
    const through = (): SimulatedPeer[] => [this.#somePeerIn(), this.#somePeerIn()]
    const peer = this.#start(false)
    this.#figures.joins++
    this.#joining++
    void this.#world.join(peer, through).then(() => this.#joining--)
  }

  #depart(): void {
    const candidates = this.#peersIn().filter(({ isBase }) => !isBase)
    if (candidates.length === 0) return
    const peer = candidates[this.#random.below(candidates.length)]!
    if (this.#mayDie(peer)) this.#end(peer, this.#random.chance(0.3))
  }

  /** What a position's leaving does to the others is what the death of its peer would do, or less. */
  #movePlace(): void {
    const candidates = this.#peersIn().filter(({ isBase }) => !isBase)
    if (candidates.length === 0) return
    const peer = candidates[this.#random.below(candidates.length)]!
    const own = peer.node.positions.map(({ machine }) => machine.self.index)
    const index = this.#random.below(positionsMax)
    if (!own.includes(index) && own.length < this.#shape.positionsMax + 1) {
      this.#figures.moves++
      this.#joining++
      void peer.node.takePlace(index).then(() => this.#joining--)
    } else if (own.length > 1 && this.#mayDie(peer)) {
      this.#figures.moves++
      this.#deathsMs.push(this.#world.simulation.nowMs)
      peer.node.givePlace(own[this.#random.below(own.length)]!)
      this.#checker.gaveUp()
    }
  }

  /** Soon after one has joined, it or a neighbour may die; or both neighbours, and nobody else may know of it; or it and its
   * successor, and others may still be told of it. */
  #strikeAfter({ machine }: Position): void {
    if (!this.#isStriking || !this.#random.chance(0.6)) return
    const { self, predecessor, successors } = machine
    const successor = successors.entries[0] ?? self
    const targets = [[self], [predecessor], [successor], [self, successor], [predecessor, successor]]
    for (const target of targets[this.#random.below(targets.length)]!) this.#strike(target)
  }

  #strike({ peer: name }: Contact): void {
    const withinMs = messagesOfJoining * (this.#shape.delayMsMax + hurryMs)
    this.#world.simulation.schedule(this.#random.between(0, withinMs), () => {
      const peer = this.#world.peers.get(name)
      if (peer !== undefined && !peer.isBase && isIn(peer.node.positions) && this.#mayDie(peer))
        this.#end(peer, false)
    })
  }

  /** Either nobody is left without a live successor, or of late there were fewer deaths than a list is long. The first is
   * what the proof asks for, but would spare lists that are too short by mistake; the second would spare those that take
   * in the dead. */
  #mayDie(peer: SimulatedPeer): boolean {
    if (this.#random.chance(0.5)) return this.#checker.mayDie(peer)
    const { successorsMax } = this.#shape
    const { live } = this.#checker
    const sinceMs = this.#world.simulation.nowMs - repairMs - successorsMax * stabiliseMs
    this.#deathsMs = this.#deathsMs.filter((atMs) => atMs > sinceMs)
    if (this.#deathsMs.length + peer.node.positions.length >= successorsMax) return false
    // A member that thinks the ring no larger than its list has no successors to spare.
    const isWhole = [...live.values()].some(({ machine }) => machine.successors.isWhole)
    return !isWhole || this.#checker.mayDie(peer)
  }

  #end(peer: SimulatedPeer, isFarewell: boolean): void {
    this.#figures.deaths++
    for (const _ of peer.node.positions) this.#deathsMs.push(this.#world.simulation.nowMs)
    if (isFarewell) {
      this.#leaving++
      void this.#world.leave(peer).then(() => this.#leaving--)
    } else this.#world.kill(peer, this.#random.chance(0.5))
    this.#checker.died(peer)
  }

  #lookUp(): void {
    const { node } = this.#somePeerIn()
    this.#figures.lookups++
    node.lookup(this.#someKey()).catch((error: unknown) => {
      if (!(error instanceof PolyhistorError)) throw error
      this.#figures.lookupsFailed++
    })
  }

  #peersIn(): SimulatedPeer[] {
    return [...this.#world.peers.values()].filter(({ node }) => isIn(node.positions))
  }

  #somePeerIn(): SimulatedPeer {
    const peers = this.#peersIn()
    return peers[this.#random.below(peers.length)]!
  }

  #someKey(): RingKey {
    return Buffer.from(this.#random.bytes(20)).toString('hex') as RingKey
  }

  async #advance(durationMs: number): Promise<void> {
    await this.#world.simulation.advance(durationMs)
    if (this.#checker.live.size > smallRing) this.#checker.checkRing()
    if (this.#checker.violation)
      throw this.#violated(this.#checker.violation.rule, this.#checker.violation.detail)
  }

  #violated(rule: string, detail: string): RingViolation {
    const { simulation } = this.#world
    return new RingViolation(
      rule,
      detail,
      this.#checker.violation?.atMs ?? simulation.nowMs,
      simulation.eventCount,
    )
  }
}

function isIn(positions: SimulatedPeer['node']['positions']): boolean {
  return positions.every(({ machine }) => machine.status === 'member')
}

/** What the seed stands for: many small rings with short lists, where mistakes show soonest. */
function shapeOf({ seed, peers, minutes, sessionMinutes }: CampaignOptions): Shape {
  const random = new RingWorld({
    seed,
    link: { delayMsMin: 1, delayMsMax: 1, loss: 0 },
    ring: {},
  }).random.fork('shape')
  const successorsMax = peers === undefined ? 2 + random.below(4) : 16
  const basePeers =
    random.chance(0.3) && peers === undefined ? 1 + random.below(successorsMax) : successorsMax + 1
  return {
    successorsMax,
    basePeers,
    peers: peers === undefined ? random.below(12) : Math.max(0, peers - basePeers),
    minutes: minutes ?? 1,
    sessionMs: (sessionMinutes ?? 0.1 + random.fraction()) * 60_000,
    delayMsMax: 5 + random.below(130),
    positionsMax: random.chance(0.3) ? 3 : 1,
  }
}
