// Years of an archive's life: peers with sessions of hours to days, absences of hours that are weeks at times, disks that die, peers
// that leave for good with a word or without, newcomers, cuts of hours to days; entries kept and taken down all the while.
//
// What is stretched: a second of a peer's clock stands for `stretch` seconds of life, so that years need not have a tick for every
// second. Patience is as long as in life, and so are sessions and absences, and the rates of deaths. All else that a peer
// waits for (its neighbours' answers, its leases, its owner's word, the next look, the next try) takes `stretch` times
// as long as in life. So between two failures there is that much less time to notice, to agree and to copy: whatever
// survives this would survive more easily in life.
//
// Disks die by chance alone. What is lost when more of them die than was promised is counted; anything else is a failure.

import { defaultPatience } from '../../src/network/replication/copies/patience.ts'
import { calm, stormy } from '../../src/platform/simulated/network.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { ArchivingPeer, PeerSettings } from './archiving-peer.ts'
import { Cuts } from './cuts.ts'
import type { Mutation } from './mutation.ts'
import { SimulatedArchive } from './simulated-archive.ts'

export interface YearsOptions {
  readonly seed: string
  readonly years: number
  readonly peers?: number | undefined
  readonly mutation?: Mutation | undefined
}

export interface YearsFigures extends Record<string, number | string> {
  acknowledged: number
  sessions: number
  lostBeyondPromise: number
}

/** Seconds of life in a second of a peer's clock. */
export const stretch = 1_800

const hourMs = 3_600_000 / stretch
const dayMs = 24 * hourMs
const yearMs = 365 * dayMs
const peersDefault = 100
const copies = 3
const copiesMin = 2
const sites = 300
const stepMs = 3 * hourMs

/** In a year. */
const rates = {
  /** Of each peer. */
  diskDeaths: 0.12,
  silentLeaves: 0.12,
  orderlyLeaves: 0.12,
  /** Of the network. */
  cuts: 12,
  storms: 12,
  entries: 1_500,
  takedowns: 12,
}
/** Of each peer's own sessions and absences the means are drawn from these medians. */
const sessionMsMedian = 2 * dayMs
const absenceMsMedian = 6 * hourMs
const newcomerMsMean = 3 * dayMs
const cutMsMedian = 6 * hourMs
const repairMsMax = 60 * dayMs
const settleMs = 60 * dayMs

const settings: PeerSettings = {
  ring: { stabiliseMs: 3_000, mergeMs: 3_000, fingerMs: 60_000, ownershipMs: 15_000 },
  // Between comparisons there would be weeks, and promises would last for months, so that nobody ever dropped anything.
  copies: { copies, copiesMin, sparesMax: copies, compareEveryMs: dayMs, promiseMs: dayMs },
  patience: {
    patienceMsMin: defaultPatience.patienceMsMin / stretch,
    patienceMsMax: defaultPatience.patienceMsMax / stretch,
    rareMs: defaultPatience.rareMs / stretch,
    hardlyKnownMs: dayMs,
  },
  lookMs: 2 * hourMs,
  toldMs: 15_000,
}

export function runYears(options: YearsOptions): Promise<YearsFigures> {
  return new Years(options).run()
}

class Years {
  readonly #archive: SimulatedArchive
  readonly #random: SimulatedRandom
  readonly #cuts: Cuts
  readonly #years: number
  readonly #figures = {
    peers: 0,
    sessions: 0,
    longAbsences: 0,
    diskDeaths: 0,
    silentLeaves: 0,
    joins: 0,
    storms: 0,
  }

  constructor({ seed, years, peers = peersDefault, mutation }: YearsOptions) {
    this.#years = years
    this.#figures.peers = peers
    this.#archive = new SimulatedArchive({ seed, sites, settings, repairMsMax, mutation })
    this.#random = this.#archive.random
    const { patienceMsMin } = settings.patience
    this.#cuts = new Cuts(this.#archive, { patienceMsMin, mendingMs: 2 * dayMs })
    this.#archive.promisedBy = ({ name }) => this.#cuts.promised(copiesMin, name)
  }

  async run(): Promise<YearsFigures> {
    const archive = this.#archive
    const { simulation } = archive.world
    for (let count = 0; count < this.#figures.peers; count++)
      this.#live(await archive.world.complete(archive.begin()))
    await archive.advance(dayMs)
    const endsAtMs = simulation.nowMs + this.#years * yearMs
    while (simulation.nowMs < endsAtMs) {
      await archive.advance(stepMs)
      this.#happen()
    }
    this.#isOver = true
    await archive.settle(settleMs, stepMs)
    return {
      years: this.#years,
      stretch,
      ...this.#figures,
      ...this.#cuts.figures,
      ...archive.figures,
      lostBeyondPromise: archive.book.lostBeyondPromise,
      events: simulation.eventCount,
      traceHash: simulation.trace.hash,
    }
  }

  #isOver = false

  /** Session after session, each with its own law. */
  #live(peer: ArchivingPeer): void {
    const sessionMs = this.#lognormal(sessionMsMedian)
    const absenceMs = this.#lognormal(absenceMsMedian)
    const { simulation } = this.#archive.world
    const begin = (): void => {
      simulation.schedule(this.#lognormal(sessionMs), () => {
        if (this.#isOver || !this.#archive.peers.includes(peer)) return
        if (peer.parts === undefined) return begin()
        this.#archive.stop(peer)
        this.#figures.sessions++
        const awayMs = this.#lognormal(absenceMs)
        if (awayMs > settings.patience.patienceMsMin) this.#figures.longAbsences++
        simulation.schedule(awayMs, () => {
          this.#archive.comeBack(peer)
          begin()
        })
      })
    }
    begin()
  }

  /** In a step. */
  #happen(): void {
    const archive = this.#archive
    const { peers, up } = archive
    if (this.#isTime(rates.diskDeaths * peers.length)) this.#end('diskDeaths')
    if (this.#isTime(rates.silentLeaves * peers.length)) this.#end('silentLeaves')
    if (this.#isTime(rates.orderlyLeaves * peers.length) && up.length > copies) {
      archive.leave(archive.one(up))
      this.#joinLater()
    }
    if (this.#isTime(rates.cuts))
      this.#cuts.cut(this.#random.between(0.02, 0.5), this.#lognormal(cutMsMedian))
    if (this.#isTime(rates.storms)) this.#storm()
    if (this.#isTime(rates.entries)) archive.keep()
    if (this.#isTime(rates.takedowns)) archive.takedown()
  }

  /** Nobody sees a difference between a disk that died and a peer that never comes back. */
  #end(how: 'diskDeaths' | 'silentLeaves'): void {
    this.#figures[how]++
    this.#archive.die(this.#archive.one(this.#archive.peers))
    this.#joinLater()
  }

  #joinLater(): void {
    this.#archive.world.simulation.schedule(-newcomerMsMean * Math.log(1 - this.#random.fraction()), () => {
      this.#figures.joins++
      this.#archive.unattended(async () => this.#live(await this.#archive.begin()))
    })
  }

  #storm(): void {
    const { network, simulation } = this.#archive.world
    this.#figures.storms++
    network.setLink(stormy)
    simulation.schedule(this.#lognormal(cutMsMedian), () => network.setLink(calm))
  }

  #isTime(perYear: number): boolean {
    return this.#random.chance((perYear * stepMs) / yearMs)
  }

  /** With σ = 1. */
  #lognormal(median: number): number {
    const [one, other] = [1 - this.#random.fraction(), this.#random.fraction()]
    return median * Math.exp(Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other))
  }
}
