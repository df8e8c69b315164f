// One seed's campaign of lease holders: peers crash, lose messages, are cut off from each other, and disagree for a while about
// who is there, while each wants to be lease holder of the sites that it believes its own. At no moment may two of them.
//
// The ring is not simulated here: each peer has a view of who is there, and learns of changes after a while of its own. So
// views are as wrong as a ring's ever are, and longer.
//
// With a liar among them (liar.ts), every site that the ring gives to an honest peer has that lease holder in the end all the
// same. While the honest members of a site cannot reach each other, the liar can tell each of them something else: that two lease
// holders are there at such a time is counted, not forbidden.

import assert from 'node:assert/strict'
import { ringKeyOf } from '../../src/model/ring-key.ts'
import type { SiteId } from '../../src/network/leases/lease.ts'
import { LeaseStore } from '../../src/network/leases/lease-store.ts'
import { Leases } from '../../src/network/leases/leases.ts'
import { memberQuestion } from '../../src/network/leases/wire/questions.ts'
import { Calls } from '../../src/platform/calls/calls.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import type { SimulatedMachine } from '../../src/platform/simulated/machine.ts'
import { calm, stormy } from '../../src/platform/simulated/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'
import { Halves } from '../halves.ts'
import { ownerAmong, replicasAmong } from '../ring-of-names.ts'
import { Liar } from './liar.ts'

export interface LeasesFigures extends Record<string, number | string> {
  events: number
  faults: number
  /** Moments at which a site had a lease holder, of all that were looked at. */
  servedShare: number
  takeovers: number
  /** Moments at which a site had two lease holders, by the help of a liar. */
  torn: number
  traceHash: string
}

export interface LeasesOptions {
  readonly hasLiar?: boolean
  readonly minutes?: number
}

interface Peer {
  machine: SimulatedMachine
  leases: Leases | undefined
  /** Who is there, as it believes. */
  view: PeerId[]
}

const peersMin = 3
const peersMax = 9
const sitesMax = 6
const copies = 3
const viewLagMsMax = 25_000
const stepMsMax = 12
/** Within which every site has the lease holder that the ring names, once nothing goes wrong any more. */
const settleMs = 120_000

/** Between two things that a liar says unasked. */
const lieMs = 300
/** In which all goes well at the end, and no site may have two lease holders, liar or not. */
const calmMs = 60_000

export async function runLeasesCampaign(
  seed: string,
  { minutes = 8, hasLiar = false }: LeasesOptions = {},
): Promise<LeasesFigures> {
  return new Campaign(seed, hasLiar).run(minutes)
}

class Campaign {
  readonly #world: SimulatedWorld
  readonly #halves: Halves
  readonly #peers: Peer[] = []
  readonly #sites: SiteId[] = []
  readonly #last = new Map<SiteId, PeerId>()
  /** Epochs in which a site had a lease holder: as if it had taken everything over. */
  readonly #established = new Map<SiteId, Set<number>>()
  readonly #liar: PeerId | undefined
  #isStormy = true
  #torn = 0
  #faults = 0
  #moments = 0
  #served = 0
  #takeovers = 0

  constructor(seed: string, hasLiar: boolean) {
    const world = simulatedWorld({ seed, link: calm })
    this.#world = world
    this.#halves = new Halves(world)
    const { random } = world
    world.network.setLink(random.chance(0.5) ? stormy : calm)
    const least = hasLiar ? peersMin + 1 : peersMin
    const count = least + random.below(peersMax - least + 1)
    for (let number = 0; number < count; number++) {
      const machine = world.machine(`peer ${number}`)
      machine.faults.clock.rate = 1 + (random.fraction() - 0.5) * 0.008
      this.#peers.push({ machine, leases: undefined, view: [] })
    }
    for (let number = 0; number <= random.below(sitesMax); number++)
      this.#sites.push(ringKeyOf(`site ${number}`))
    this.#liar = hasLiar ? this.#names[random.below(count)] : undefined
  }

  async run(minutes: number): Promise<LeasesFigures> {
    const { simulation, random } = this.#world
    for (const peer of this.#peers) await this.#start(peer)
    this.#announce(0)
    while (simulation.nowMs < minutes * 60_000) {
      if (random.chance(0.0015)) await this.#fault()
      await this.#step()
    }
    await this.#endFaults()
    const untilMs = simulation.nowMs + settleMs * (this.#liar === undefined ? 1 : 4)
    while (!this.#isSettled()) {
      if (simulation.nowMs > untilMs) assert.fail(`not every site has its lease holder: ${this.#picture()}`)
      await this.#step()
    }
    this.#isStormy = false
    for (const calmUntilMs = simulation.nowMs + calmMs; simulation.nowMs < calmUntilMs; ) await this.#step()
    if (!this.#isSettled()) assert.fail(`not every site keeps its lease holder: ${this.#picture()}`)
    return {
      events: simulation.eventCount,
      faults: this.#faults,
      servedShare: this.#served / this.#moments,
      takeovers: this.#takeovers,
      torn: this.#torn,
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
    const store = new LeaseStore(await this.#world.complete(keyValues.open('stewards')))
    const leases = new Leases({
      self: machine.name,
      clock,
      random,
      store,
      ask: (other, question, options) => calls.call(other, question, options),
      replicaSet: (site) => {
        const set = replicasAmong(peer.view, site, copies)
        return set[0] === machine.name ? set : undefined
      },
      isGone: () => false,
      fullSet: (site) => replicasAmong(this.#names, site, copies),
      isMember: (other) => this.#names.includes(other),
      ownerOf: (site) => replicasAmong(peer.view, site, 1)[0],
      isEstablished: (site, epoch) => this.#established.get(site)?.has(epoch) ?? false,
    })
    const liar = machine.name === this.#liar ? this.#lieWith(calls, machine, store) : undefined
    calls.answer(async (from, bytes) => liar?.answer(bytes) ?? leases.answer(from, bytes))
    peer.leases = leases
    leases.start()
    const look = (): void => {
      this.#look(peer, leases)
      clock.after(500, look)
    }
    clock.after(random.below(500), look)
  }

  #lieWith(calls: Calls, { name, clock }: SimulatedMachine, store: LeaseStore): Liar {
    const random = this.#world.random.fork(`liar ${this.#faults}`)
    const liar = new Liar({
      self: name,
      random,
      sites: this.#sites,
      peers: this.#names,
      decided: (site) => store.get(site).decided,
      nowMs: () => clock.nowMs(),
    })
    const others = this.#names.filter((other) => other !== name)
    const tell = (): void => {
      const question = memberQuestion.encode(liar.statement())
      calls.call(others[random.below(others.length)]!, question, { deadlineMs: 1_000 }).catch(() => {})
      clock.after(lieMs, tell)
    }
    clock.after(lieMs, tell)
    return liar
  }

  /** What a peer does about the sites of the moment. */
  #look({ machine, view }: Peer, leases: Leases): void {
    for (const site of this.#sites) {
      const isOwner = replicasAmong(view, site, 1)[0] === machine.name
      if (isOwner) leases.acquire(site)
      else if (leases.isWanted(site)) void leases.release(site)
    }
  }

  async #step(): Promise<void> {
    await this.#world.advance(this.#world.random.fraction() * stepMsMax)
    for (const site of this.#sites) this.#check(site)
  }

  #check(site: SiteId): void {
    const leases = this.#peers.filter(
      ({ machine, leases: its }) => machine.isUp && machine.name !== this.#liar && its?.canCrawl(site),
    )
    if (leases.length > 1) {
      if (this.#liar === undefined || !this.#isStormy)
        assert.fail(`two lease holders of ${site.slice(0, 8)}: ${this.#picture()}`)
      this.#torn++
    }
    this.#moments++
    const name = leases[0]?.machine.name
    if (name === undefined) return
    this.#served++
    const epochs = this.#established.get(site) ?? new Set()
    this.#established.set(site, epochs.add(leases[0]!.leases!.leaseOf(site)!.epoch))
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
    peer.leases = undefined
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
      if (owner === this.#liar) return true
      return this.#peers.find(({ machine }) => machine.name === owner)!.leases!.canCrawl(site)
    })
  }

  #picture(): string {
    const lines = this.#peers.map(({ machine, leases, view }) => {
      const sites = this.#sites.filter((site) => machine.isUp && leases?.canCrawl(site))
      return `${machine.name}${machine.isUp ? '' : ' (down)'} sees ${view.length}, may ${sites.map((site) => site.slice(0, 8))}`
    })
    return `at ${this.#world.simulation.nowMs.toFixed(0)} ms\n${lines.join('\n')}`
  }
}
