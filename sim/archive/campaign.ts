// One seed's storm over an archive of a few peers: entries are kept and taken down while peers crash, go and come back, early or
// after they were given up, are cut off from each other, join, leave, and lose their disks. Nothing that was acknowledged may
// be lost, and all of it has its copies again soon after the trouble has ended.
//
// Time is compressed: minutes hold as many failures as years do. Repair has so much less time between them than it ever
// would, and detection and patience, which take minutes here, as large a share of it.
//
// A disk dies only where everything on it was promised to survive that: see copies-ledger.ts.

import { calm, stormy } from '../../src/platform/simulated/network.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { ArchivingPeer, PeerSettings } from './archiving-peer.ts'
import { Cuts } from './cuts.ts'
import type { Mutation } from './mutation.ts'
import { SimulatedArchive } from './simulated-archive.ts'

export interface ArchiveFigures extends Record<string, number | string> {
  peers: number
  acknowledged: number
  refused: number
  outages: number
  deaths: number
  joins: number
  leaves: number
  cuts: number
  takedowns: number
  traceHash: string
}

export interface CampaignOptions {
  readonly seed: string
  readonly peers?: number | undefined
  readonly minutes?: number | undefined
  /** Real stores on the disks. */
  readonly hasStore?: boolean | undefined
  readonly mutation?: Mutation | undefined
}

const peersMin = 5
const peersMax = 16
const minutesDefault = 8
const copies = 3
const sites = 24
const minuteMs = 60_000
const stepMs = 500
const outageMsMax = 3 * minuteMs
/** Of the patience: whoever is cut off for longer is taken to be gone for good. */
const cutShareMax = 1.5
/** How long a peer may go on as it did in a cut that has ended. */
const mendingMs = 90_000
/** Within which everything has all its copies on the right peers again, once nothing goes wrong any more. */
const settleMs = 10 * minuteMs

export function runArchiveCampaign(options: CampaignOptions): Promise<ArchiveFigures> {
  return new Campaign(options).run()
}

class Campaign {
  readonly #archive: SimulatedArchive
  readonly #random: SimulatedRandom
  readonly #cuts: Cuts
  readonly #minutes: number
  readonly #patienceMs: number
  readonly #figures = { peers: 0, outages: 0, longOutages: 0, joins: 0, storms: 0 }

  constructor({ seed, peers, minutes, hasStore, mutation }: CampaignOptions) {
    const drawn = drawSettings(new SimulatedRandom(`${seed}/settings`))
    this.#minutes = minutes ?? minutesDefault
    this.#figures.peers = peers ?? drawn.peers
    this.#patienceMs = drawn.patienceMs
    const settings = { ...settingsOf(drawn), hasStore }
    const repairMsMax = this.#minutes * minuteMs + settleMs
    this.#archive = new SimulatedArchive({ seed, sites, settings, repairMsMax, mutation })
    this.#random = this.#archive.random
    this.#cuts = new Cuts(this.#archive, { patienceMsMin: drawn.patienceMs, mendingMs })
    this.#archive.promisedBy = ({ name }) => this.#cuts.promised(drawn.copiesMin, name)
  }

  async run(): Promise<ArchiveFigures> {
    const archive = this.#archive
    const { simulation } = archive.world
    for (let count = 0; count < this.#figures.peers; count++) await archive.world.complete(archive.begin())
    await archive.advance(minuteMs)
    const endsAtMs = simulation.nowMs + this.#minutes * minuteMs
    while (simulation.nowMs < endsAtMs) {
      await archive.advance(stepMs)
      if (this.#random.chance(0.04)) this.#fault()
      if (this.#random.chance(0.5)) archive.keep()
    }
    await archive.advance(cutShareMax * this.#patienceMs)
    await archive.settle(settleMs, stepMs)
    return {
      ...this.#figures,
      ...this.#cuts.figures,
      ...archive.figures,
      events: simulation.eventCount,
      traceHash: simulation.trace.hash,
    }
  }

  #fault(): void {
    const choice = this.#random.below(20)
    if (choice < 9) this.#outage()
    else if (choice < 13) this.#death()
    else if (choice < 14) this.#join()
    else if (choice < 15) this.#leave()
    else if (choice < 17) this.#storm()
    else if (choice < 19)
      this.#cuts.cut(
        this.#random.between(0.05, 0.5),
        this.#random.between(1_000, cutShareMax * this.#patienceMs),
      )
    else this.#archive.takedown((peer) => this.#dieAfterTakedown(peer))
  }

  #outage(): void {
    const { up, peers } = this.#archive
    // A majority stays, and as many as there are to be copies: beyond that nothing is promised but that it comes back. Two of four,
    // all that two leavers had left, were away for longer than the others had patience.
    if (up.length <= Math.max(copies, (2 * peers.length) / 3)) return
    const peer = this.#archive.one(up)
    const outageMs = this.#random.between(1_000, outageMsMax)
    this.#figures.outages++
    if (outageMs > this.#patienceMs) this.#figures.longOutages++
    this.#archive.stop(peer)
    this.#archive.world.simulation.schedule(outageMs, () => this.#archive.comeBack(peer))
  }

  /** Of several disks at once, now and then; new peers come in their place. */
  #death(): void {
    const { peers, book } = this.#archive
    const count = this.#random.chance(0.3) ? copies - 1 : 1
    for (let death = 0; death < count; death++) {
      const mortal = peers.filter(({ name }) => book.mayDie(name))
      if (mortal.length === 0) return
      this.#archive.die(this.#archive.one(mortal))
      this.#archive.unattended(() => this.#archive.begin())
    }
  }

  /** What it said is on its way to others by then, unless it sees none. */
  #dieAfterTakedown(peer: ArchivingPeer): void {
    const { book } = this.#archive
    if (peer.parts!.places.peers().length === 0) return
    if (this.#archive.promisedBy(peer) === 1 || !this.#random.chance(0.5) || !book.mayDie(peer.name)) return
    this.#archive.die(peer)
    this.#archive.unattended(() => this.#archive.begin())
  }

  #join(): void {
    if (this.#archive.peers.length >= 1.5 * this.#figures.peers) return
    this.#figures.joins++
    this.#archive.unattended(() => this.#archive.begin())
  }

  #leave(): void {
    const { staying, peers } = this.#archive
    // Leaving takes a while. When all but a few leave at once and the rest is away, fewer copies are all that can be had.
    if (peers.length > peersMin && staying.length > copies) this.#archive.leave(this.#archive.one(staying))
  }

  #storm(): void {
    const { network, simulation } = this.#archive.world
    this.#figures.storms++
    network.setLink(stormy)
    simulation.schedule(this.#random.between(1_000, minuteMs), () => network.setLink(calm))
  }
}

interface Drawn {
  readonly peers: number
  readonly copiesMin: number
  readonly patienceMs: number
  readonly sparesMax: number
}

function drawSettings(random: SimulatedRandom): Drawn {
  return {
    peers: peersMin + random.below(peersMax - peersMin + 1),
    copiesMin: 2 + random.below(copies - 1),
    patienceMs: random.between(minuteMs / 2, 2 * minuteMs),
    sparesMax: random.below(3),
  }
}

function settingsOf({ copiesMin, patienceMs, sparesMax }: Drawn): PeerSettings {
  return {
    ring: { stabiliseMs: 5_000, mergeMs: 5_000, fingerMs: minuteMs, ownershipMs: 25_000 },
    copies: {
      copies,
      copiesMin,
      sparesMax,
      compareEveryMs: minuteMs,
      promiseMs: minuteMs,
      // An hour, where patience is half a day: what a torn network left with strangers has to come home within the settling time.
      admission: { freshMs: minuteMs },
    },
    patience: { patienceMsMin: patienceMs, patienceMsMax: patienceMs, rareMs: minuteMs },
    lookMs: 10_000,
    toldMs: 15_000,
  }
}
