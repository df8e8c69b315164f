// One seed's campaign of stewards: peers crash, lose messages, are cut off from each other, and disagree for a while about who
// is there, while each wants to be steward of the sites that it believes its own. At no moment may two of them.
//
// The ring is not simulated here: each peer has a view of who is there, and learns of changes after a while of its own. So
// views are as wrong as a ring's ever are, and longer.

import assert from 'node:assert/strict'
import { ringKeyOf } from '../../src/model/ring-key.ts'
import { Stewards } from '../../src/network/leases/stewards.ts'
import type { SiteId } from '../../src/network/leases/stewardship.ts'
import { StewardshipBook } from '../../src/network/leases/stewardship-book.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import type { PeerId } from '../../src/platform/network.ts'
import type { SimulatedMachine } from '../../src/platform/simulated/machine.ts'
import { calm, stormy } from '../../src/platform/simulated/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'
import { Halves } from '../halves.ts'
import { ownerAmong, replicasAmong } from '../ring-of-names.ts'

export interface StewardsFigures extends Record<string, number | string> {
  events: number
  faults: number
  /** Moments at which a site had a steward, of all that were looked at. */
  servedShare: number
  takeovers: number
  traceHash: string
}

interface Peer {
  machine: SimulatedMachine
  stewards: Stewards | undefined
  /** Who is there, as it believes. */
  view: PeerId[]
}

const peersMin = 3
const peersMax = 9
const sitesMax = 6
const copies = 3
const viewLagMsMax = 25_000
const stepMsMax = 12
/** Within which every site has the steward that the ring names, once nothing goes wrong any more. */
const settleMs = 120_000

export async function runStewardsCampaign(seed: string, minutes = 8): Promise<StewardsFigures> {
  return new Campaign(seed).run(minutes)
}

class Campaign {
  readonly #world: SimulatedWorld
  readonly #halves: Halves
  readonly #peers: Peer[] = []
  readonly #sites: SiteId[] = []
  readonly #last = new Map<SiteId, PeerId>()
  #faults = 0
  #moments = 0
  #served = 0
  #takeovers = 0

  constructor(seed: string) {
    const world = simulatedWorld({ seed, link: calm })
    this.#world = world
    this.#halves = new Halves(world)
    const { random } = world
    world.network.setLink(random.chance(0.5) ? stormy : calm)
    const count = peersMin + random.below(peersMax - peersMin + 1)
    for (let number = 0; number < count; number++) {
      const machine = world.machine(`peer ${number}`)
      machine.faults.clock.rate = 1 + (random.fraction() - 0.5) * 0.008
      this.#peers.push({ machine, stewards: undefined, view: [] })
    }
    for (let number = 0; number <= random.below(sitesMax); number++)
      this.#sites.push(ringKeyOf(`site ${number}`))
  }

  async run(minutes: number): Promise<StewardsFigures> {
    const { simulation, random } = this.#world
    for (const peer of this.#peers) await this.#start(peer)
    this.#announce(0)
    while (simulation.nowMs < minutes * 60_000) {
      if (random.chance(0.0015)) await this.#fault()
      await this.#step()
    }
    await this.#endFaults()
    const untilMs = simulation.nowMs + settleMs
    while (!this.#isSettled()) {
      if (simulation.nowMs > untilMs) assert.fail(`not every site has its steward: ${this.#picture()}`)
      await this.#step()
    }
    return {
      events: simulation.eventCount,
      faults: this.#faults,
      servedShare: this.#served / this.#moments,
      takeovers: this.#takeovers,
      traceHash: simulation.trace.hash,
    }
  }

  get #names(): PeerId[] {
    return this.#peers.map(({ machine }) => machine.name)
  }

  async #start(peer: Peer): Promise<void> {
    const { machine } = peer
    const { clock, random, keyValues, network } = machine
    const calls = new Calls({ network, clock, random })
    for (const other of this.#peers) network.learn(other.machine.name, [`/simulated/${other.machine.name}`])
    const book = new StewardshipBook(await this.#world.complete(keyValues.open('stewards')))
    const stewards = new Stewards({
      self: machine.name,
      clock,
      random,
      book,
      ask: (other, question, options) => calls.call(other, question, options),
      replicaSet: (site) => {
        const set = replicasAmong(peer.view, site, copies)
        return set[0] === machine.name ? set : undefined
      },
      isGone: () => false,
      fullSet: (site) => replicasAmong(this.#names, site, copies),
    })
    calls.answer((from, bytes) => stewards.answer(from, bytes))
    peer.stewards = stewards
    stewards.start()
    const look = (): void => {
      this.#look(peer, stewards)
      clock.after(500, look)
    }
    clock.after(random.below(500), look)
  }

  /** What a peer does about the sites of the moment. */
  #look({ machine, view }: Peer, stewards: Stewards): void {
    for (const site of this.#sites) {
      const isOwner = replicasAmong(view, site, 1)[0] === machine.name
      if (isOwner) stewards.seek(site)
      else if (stewards.isSought(site)) void stewards.layDown(site)
    }
  }

  async #step(): Promise<void> {
    await this.#world.advance(this.#world.random.fraction() * stepMsMax)
    for (const site of this.#sites) this.#check(site)
  }

  #check(site: SiteId): void {
    const stewards = this.#peers.filter((peer) => peer.machine.isUp && peer.stewards?.may(site))
    if (stewards.length > 1) assert.fail(`two stewards of ${site.slice(0, 8)}: ${this.#picture()}`)
    this.#moments++
    const name = stewards[0]?.machine.name
    if (name === undefined) return
    this.#served++
    if (this.#last.get(site) !== name) this.#takeovers++
    this.#last.set(site, name)
  }

  async #fault(): Promise<void> {
    const { random } = this.#world
    this.#faults++
    const peer = this.#peers[random.below(this.#peers.length)]!
    const choice = random.below(5)
    if (!peer.machine.isUp) {
      peer.machine.restart()
      await this.#start(peer)
    } else if (choice < 2) {
      this.#end(peer, choice === 0)
    } else if (choice < 4) {
      if (this.#halves.isCut) this.#halves.heal()
      else this.#halves.cut(this.#names)
    } else {
      this.#world.network.setLink(random.chance(0.5) ? stormy : calm)
    }
    this.#announce(viewLagMsMax)
  }

  #end(peer: Peer, isPowerCut: boolean): void {
    const up = this.#peers.filter(({ machine }) => machine.isUp)
    if (up.length <= 1) return
    if (isPowerCut) peer.machine.crash()
    else peer.machine.kill()
    peer.stewards = undefined
  }

  async #endFaults(): Promise<void> {
    this.#halves.heal()
    this.#world.network.setLink(calm)
    for (const peer of this.#peers) {
      if (peer.machine.isUp) continue
      peer.machine.restart()
      await this.#start(peer)
    }
    this.#announce(viewLagMsMax)
  }

  /** Everybody learns who is there on its side, sooner or later. */
  #announce(lagMsMax: number): void {
    const { simulation, random } = this.#world
    for (const peer of this.#peers) {
      const learn = (): void => {
        const isHere = ({ machine }: Peer) =>
          machine.isUp && this.#halves.areTogether(machine.name, peer.machine.name)
        peer.view = this.#peers.filter(isHere).map(({ machine }) => machine.name)
      }
      simulation.schedule(random.fraction() * lagMsMax, learn)
    }
  }

  #isSettled(): boolean {
    return this.#sites.every((site) => {
      const { peer: owner } = ownerAmong(this.#names, site)
      return this.#peers.find(({ machine }) => machine.name === owner)!.stewards!.may(site)
    })
  }

  #picture(): string {
    const lines = this.#peers.map(({ machine, stewards, view }) => {
      const sites = this.#sites.filter((site) => machine.isUp && stewards?.may(site))
      return `${machine.name}${machine.isUp ? '' : ' (down)'} sees ${view.length}, may ${sites.map((site) => site.slice(0, 8))}`
    })
    return `at ${this.#world.simulation.nowMs.toFixed(0)} ms\n${lines.join('\n')}`
  }
}
