// One seed's campaign against an archive of many peers: entries are kept while peers crash, go and come back, are cut off from
// each other, join, and lose their disks. Nothing that was acknowledged may be lost, and all of it has its copies again soon
// after the trouble has ended.
//
// Time is compressed: minutes hold as many failures as years do. Repair has so much less time between them than it ever
// would, and detection and patience, which take minutes here, as large a share of it.
//
// Disks die so that fewer copies fail within the repair time than an acknowledgement promises: once so many have died, no
// further one does before all entries have all copies again.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../src/errors.ts'
import { ringKeyOf } from '../../src/record/ring-key.ts'
import { calm, stormy } from '../../src/world/simulated/network.ts'
import type { SimulatedRandom } from '../../src/world/simulated/random.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/world/simulated/world.ts'
import { ArchivingPeer, type PeerSettings } from './archiving-peer.ts'
import { nameOf } from './held-entries.ts'
import { type SimulatedEntry, simulatedEntry } from './simulated-entry.ts'

export interface ArchiveFigures extends Record<string, number | string> {
  peers: number
  acknowledged: number
  refused: number
  outages: number
  deaths: number
  joins: number
  cuts: number
  traceHash: string
}

export interface CampaignOptions {
  readonly seed: string
  readonly peers?: number | undefined
  readonly minutes?: number | undefined
}

const peersMin = 5
const peersMax = 16
const minutesDefault = 8
const copies = 3
const siteCount = 24
const urlsPerSite = 6
const payloadBytesMax = 200
const deltaShare = 0.3
const minuteMs = 60_000
const stepMs = 500
const outageMsMax = 3 * minuteMs
/** Of the patience: whoever is cut off for longer is taken to be gone for good, and copies then are as many as are left. */
const cutShareMax = 0.8
/** Within which everything has all its copies on the right peers again, once nothing goes wrong any more. */
const settleMs = 10 * minuteMs

export function runArchiveCampaign(options: CampaignOptions): Promise<ArchiveFigures> {
  return new Campaign(options).run()
}

class Campaign {
  readonly #world: SimulatedWorld
  readonly #random: SimulatedRandom
  readonly #settings: PeerSettings
  readonly #minutes: number
  readonly #copiesMin: number
  readonly #cutMsMax: number
  readonly #peers: ArchivingPeer[] = []
  readonly #entries = new Map<string, SimulatedEntry>()
  readonly #lastOfUrl = new Map<string, SimulatedEntry>()
  readonly #acknowledged = new Set<SimulatedEntry>()
  readonly #figures = { peers: 0, refused: 0, outages: 0, deaths: 0, joins: 0, cuts: 0 }
  /** Since everything had all its copies. */
  #unrepairedDeaths = 0
  #number = 0
  #failure: { error: unknown } | undefined

  constructor({ seed, peers, minutes }: CampaignOptions) {
    this.#world = simulatedWorld({ seed, link: calm })
    this.#random = this.#world.random
    this.#minutes = minutes ?? minutesDefault
    this.#figures.peers = peers ?? peersMin + this.#random.below(peersMax - peersMin + 1)
    this.#copiesMin = 2 + this.#random.below(copies - 1)
    const patienceMs = this.#random.between(minuteMs / 2, 2 * minuteMs)
    this.#cutMsMax = cutShareMax * patienceMs
    this.#settings = {
      ring: { stabiliseMs: 5_000, mergeMs: 5_000, fingerMs: minuteMs, ownershipMs: 25_000 },
      copies: {
        copies,
        copiesMin: this.#copiesMin,
        sparesMax: this.#random.below(3),
        compareEveryMs: minuteMs,
        promiseMs: minuteMs,
      },
      patience: { patienceMsMin: patienceMs, patienceMsMax: patienceMs, rareMs: minuteMs },
    }
  }

  async run(): Promise<ArchiveFigures> {
    const { simulation } = this.#world
    for (let count = 0; count < this.#figures.peers; count++) await this.#world.complete(this.#begin())
    await this.#world.advance(minuteMs)
    const endsAtMs = simulation.nowMs + this.#minutes * minuteMs
    while (simulation.nowMs < endsAtMs) {
      await this.#step()
      if (this.#random.chance(0.04)) this.#fault()
      if (this.#random.chance(0.5)) this.#keep()
    }
    await this.#endTrouble()
    await this.#settle()
    return {
      ...this.#figures,
      acknowledged: this.#acknowledged.size,
      traceHash: simulation.trace.hash,
    }
  }

  async #step(): Promise<void> {
    await this.#world.advance(stepMs)
    if (this.#failure !== undefined) throw this.#failure.error
    this.#checkNothingLost()
    if (this.#unrepairedDeaths > 0 && this.#lackingCopies().length === 0) this.#unrepairedDeaths = 0
  }

  get #up(): ArchivingPeer[] {
    return this.#peers.filter(({ parts }) => parts !== undefined)
  }

  /** A peer that was not there before. */
  async #begin(): Promise<void> {
    const machine = this.#world.machine(`12D3KooW-simulated-${this.#peers.length}-${this.#figures.deaths}`)
    const peer = new ArchivingPeer(machine, this.#settings, this.#entries)
    const others = this.#up.map(({ name }) => name)
    this.#peers.push(peer)
    await peer.start(() => (this.#up.length > 1 ? this.#some(others) : []))
  }

  /** Whoever owns a site keeps something of it, and has it copied. */
  #keep(): void {
    const random = this.#random
    const site = `site ${random.below(siteCount)}.test`
    // Cut off from each other, several may think so.
    const owners = this.#up.filter(({ parts }) => parts!.places.isOwner(ringKeyOf(site)))
    if (owners.length === 0) return
    const owner = this.#one(owners)
    const url = random.below(urlsPerSite)
    const base = random.chance(deltaShare) ? this.#lastOfUrl.get(`${site} ${url}`) : undefined
    const payloadBytes = random.below(payloadBytesMax)
    const entry = simulatedEntry({ number: this.#number++, site, url, payloadBytes, base })
    this.#entries.set(nameOf(entry.key), entry)
    this.#unattended(async () => {
      const { held, copies } = owner.parts!
      const outcome = await held.keep(entry)
      if (outcome === 'lacking') return
      try {
        await copies.spread(entry.key)
      } catch (error) {
        if (!(error instanceof PolyhistorError)) throw error
        this.#figures.refused++
        return
      }
      this.#acknowledged.add(entry)
      this.#lastOfUrl.set(`${site} ${url}`, entry)
    })
  }

  #fault(): void {
    const choice = this.#random.below(10)
    if (choice < 5) this.#outage()
    else if (choice < 7) this.#death()
    else if (choice < 8) this.#join()
    else this.#cut()
  }

  #outage(): void {
    const up = this.#up
    // A majority stays: beyond that nothing is promised but that it comes back.
    if (up.length <= (2 * this.#peers.length) / 3) return
    const peer = this.#one(up)
    this.#figures.outages++
    if (this.#random.chance(0.5)) peer.crash()
    else peer.kill()
    this.#world.simulation.schedule(this.#random.between(1_000, outageMsMax), () => this.#comeBack(peer))
  }

  #comeBack(peer: ArchivingPeer): void {
    // Its disk may have died meanwhile.
    if (!this.#peers.includes(peer) || peer.parts !== undefined) return
    this.#unattended(() => peer.start(() => this.#some(this.#up.map(({ name }) => name))))
  }

  /** A disk, and all that is on it; a new peer comes in its place. */
  #death(): void {
    if (this.#unrepairedDeaths >= this.#copiesMin - 1) return
    this.#unrepairedDeaths++
    this.#figures.deaths++
    const peer = this.#one(this.#peers)
    if (peer.parts !== undefined) peer.crash()
    this.#peers.splice(this.#peers.indexOf(peer), 1)
    this.#world.simulation.note(peer.name, 'disk died', '')
    this.#unattended(() => this.#begin())
  }

  #join(): void {
    if (this.#peers.length >= 1.5 * this.#figures.peers) return
    this.#figures.joins++
    this.#unattended(() => this.#begin())
  }

  #cut(): void {
    const { network, simulation } = this.#world
    this.#figures.cuts++
    if (this.#random.chance(0.5)) {
      network.setLink(stormy)
      simulation.schedule(this.#random.between(1_000, this.#cutMsMax), () => network.setLink(calm))
      return
    }
    const names = this.#peers.map(({ name }) => name)
    const share = this.#random.between(0.05, 0.5)
    const side = names.filter(() => this.#random.chance(share))
    network.cut(
      side,
      names.filter((name) => !side.includes(name)),
    )
    simulation.schedule(this.#random.between(1_000, this.#cutMsMax), () => network.heal())
  }

  async #endTrouble(): Promise<void> {
    await this.#world.advance(this.#cutMsMax)
    this.#world.network.heal()
    this.#world.network.setLink(calm)
    for (const peer of this.#peers) this.#comeBack(peer)
  }

  async #settle(): Promise<void> {
    const untilMs = this.#world.simulation.nowMs + settleMs
    for (;;) {
      await this.#step()
      const misplaced = this.#misplaced()
      if (misplaced.length === 0) return
      if (this.#world.simulation.nowMs > untilMs)
        assert.fail(
          `not settled: ${misplaced.length} copies lack, such as ${misplaced.slice(0, 3).join('; ')}`,
        )
    }
  }

  /** On disks that are there, be their peers up or not. */
  #checkNothingLost(): void {
    for (const entry of this.#acknowledged)
      if (!this.#peers.some((peer) => peer.holds(entry))) assert.fail(`lost: entry ${entry.number}`)
  }

  #lackingCopies(): SimulatedEntry[] {
    const wanted = Math.min(copies, this.#peers.length)
    return [...this.#acknowledged].filter(
      (entry) => this.#peers.filter((peer) => peer.holds(entry)).length < wanted,
    )
  }

  /** Copies that peers lack which are to have them by the word of the owner, who alone knows for sure. */
  #misplaced(): string[] {
    if (this.#up.length < this.#peers.length) return ['not all are up']
    return [...this.#acknowledged].flatMap((entry) => {
      const owner = this.#peers.find(({ parts }) => parts!.places.isOwner(entry.site))
      if (owner === undefined) return [`nobody owns entry ${entry.number}`]
      return owner
        .parts!.places.fullSet(entry.site)
        .filter((name) => !this.#peers.find((peer) => peer.name === name)?.holds(entry))
        .map((name) => `entry ${entry.number} at ${name}`)
    })
  }

  #one<T>(from: readonly T[]): T {
    return from[this.#random.below(from.length)]!
  }

  #some(names: readonly string[]): string[] {
    return names.length === 0 ? [] : [this.#one(names), this.#one(names), this.#one(names)]
  }

  /** What a process does is over with it; any other failure is the campaign's. */
  #unattended(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.#failure ??= { error }
    })
  }
}
