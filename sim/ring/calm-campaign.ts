// One seed's campaign under P. Zave's assumptions: peers join, leave and die at all moments, but a base of them lasts, no
// member loses all its successors at once, and who is taken for dead is dead. Under these nothing may ever go wrong.
//
// Invariant: the same seed gives the same events.

import { PolyhistorError } from '../../src/errors.ts'
import type { RingKey } from '../../src/record/ring-key.ts'
import type { Rules } from '../../src/ring/rules.ts'
import type { SimulatedRandom } from '../../src/world/simulated/random.ts'
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
  rules?: Rules
}

export interface CampaignFigures {
  events: number
  joins: number
  deaths: number
  lookups: number
  lookupsFailed: number
  /** Stabilisation rounds from the last fault to the ideal ring. */
  rounds: number
  traceHash: string
}

const stabiliseMs = 1_000
const stepMs = 250
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
  readonly #figures = { joins: 0, deaths: 0, lookups: 0, lookupsFailed: 0 }
  #joining = 0
  #leaving = 0

  constructor(options: CampaignOptions) {
    const { seed, rules } = options
    this.#shape = shapeOf(options)
    const { successorsMax, delayMsMax } = this.#shape
    this.#world = new RingWorld({
      seed,
      link: { delayMsMin: 0.5, delayMsMax, loss: 0 },
      ring: { successorsMax, stabiliseMs },
      ...(rules && { rules }),
    })
    this.#random = this.#world.random.fork('campaign')
    this.#checker = new RingChecker(this.#world, { successorsMax, isStrict: true })
  }

  async run(): Promise<CampaignFigures> {
    await this.#begin()
    await this.#churn()
    const rounds = await this.#settle()
    const { simulation } = this.#world
    return { events: simulation.eventCount, ...this.#figures, rounds, traceHash: simulation.trace.hash }
  }

  /** The base, one after the other, until it is a ring. */
  async #begin(): Promise<void> {
    const base: SimulatedPeer[] = []
    for (let count = 0; count < this.#shape.basePeers; count++) {
      const peer = this.#start(true)
      await this.#complete(this.#world.join(peer, () => base.slice(0, 3)))
      base.push(peer)
    }
    await this.#settle()
    this.#checker.setBase(base)
  }

  async #churn(): Promise<void> {
    const { minutes, peers, sessionMs } = this.#shape
    const untilMs = this.#world.simulation.nowMs + minutes * 60_000
    while (this.#world.simulation.nowMs < untilMs) {
      const live = this.#world.peers.size
      // As many go on average as come: the more there are, the likelier one goes.
      if (this.#random.chance((stepMs / sessionMs) * peers)) this.#join()
      if (this.#random.chance((stepMs / sessionMs) * (live - this.#shape.basePeers))) this.#depart()
      if (this.#random.chance(0.3)) this.#lookUp()
      this.#checker.checkOwner(this.#someKey())
      await this.#advance(stepMs)
    }
  }

  /** Rounds until the ring is ideal. */
  async #settle(): Promise<number> {
    const { simulation } = this.#world
    while (this.#joining + this.#leaving > 0) await this.#advance(stepMs)
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

  #join(): void {
    const through = (): SimulatedPeer[] => [this.#somePeerIn(), this.#somePeerIn()]
    const peer = this.#start(false)
    this.#figures.joins++
    this.#joining++
    void this.#world.join(peer, through).then(() => this.#joining--)
  }

  #depart(): void {
    const candidates = [...this.#world.peers.values()].filter(
      ({ isBase, node }) => !isBase && isIn(node.positions),
    )
    if (candidates.length === 0) return
    const peer = candidates[this.#random.below(candidates.length)]!
    if (!this.#checker.mayDie(peer)) return
    this.#figures.deaths++
    if (this.#random.chance(0.3)) {
      this.#leaving++
      void this.#world.leave(peer).then(() => {
        this.#leaving--
        this.#checker.died(peer)
      })
      this.#checker.died(peer)
      return
    }
    this.#world.kill(peer, this.#random.chance(0.5))
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

  async #complete(promise: Promise<void>): Promise<void> {
    let isOver = false
    void promise.then(() => {
      isOver = true
    })
    while (!isOver) await this.#advance(stepMs)
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
