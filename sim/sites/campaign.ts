// One seed's campaign of sites: peers crawl a small web together, while they crash, lose power, are stopped for a while, are
// cut off from each other and disagree about who is there; sites are placed at other members, and go by load. Then quiet, and a look at
// who has what.
//
// The ring is not simulated here: each peer has a view of who is there, and learns of changes after a while of its own.
// Promises that are checked:
// - no site is asked by two peers at once, and no host sooner than its delay after it was last asked, whoever asked;
// - a URL that was taken on and called safe is fetched, whoever dies; and not again once its completion is safe;
// - at the end every page was fetched, and every site is in the frontier of its owner, or of the member at which it was placed or that
//   its owner chose by load, and in no other, its visits to come with it.

import assert from 'node:assert/strict'
import type { LeasePlaces } from '../../src/app/network/site-leases.ts'
import type { JobOptions } from '../../src/crawl/frontier/jobs/crawl-job.ts'
import { type RingKey, ringKeyOf } from '../../src/model/ring-key.ts'
import type { Url } from '../../src/model/url/url.ts'
import type { LoadTerms } from '../../src/network/site-placement/load-terms.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import type { SimulatedMachine } from '../../src/platform/simulated/machine.ts'
import { calm, stormy } from '../../src/platform/simulated/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'
import { Halves } from '../halves.ts'
import { ownerAmong, replicasAmong } from '../ring-of-names.ts'
import { CrawlingPeer } from './crawling-peer.ts'
import { Forwarding } from './forwarding.ts'
import { Web } from './web.ts'

export interface SitesFigures extends Record<string, number | string> {
  events: number
  faults: number
  fetches: number
  pages: number
  takeovers: number
  movedByLoad: number
  bytesSent: number
  traceHash: string
}

interface Seat {
  readonly machine: SimulatedMachine
  peer: CrawlingPeer | undefined
  isPaused: boolean
  /** Who is there, as it believes. */
  view: PeerId[]
  readonly listeners: Set<() => void>
  /** Who is to crawl which site instead of its owner, as far as it has heard. */
  placed: ReadonlyMap<RingKey, PeerId>
  readonly placementListeners: Set<() => void>
}

const peersMin = 3
const peersMore = 4
const copies = 3
const viewLagMsMax = 25_000
const stepMsMax = 20
const settleMinutesMax = 30
const addMs = 4_000
/** In half of the campaigns load moves sites as eagerly as can be, else as in the program. */
const eagerLoad = {
  ...{ planMs: 4_000, siteLoadMin: 1, margin: 1.01, restMs: 15_000, idleMs: 60_000, failedMs: 20_000 },
}

export async function runSitesCampaign(seed: string, minutes = 4): Promise<SitesFigures> {
  return new Campaign(seed).run(minutes)
}

class Campaign {
  readonly #world: SimulatedWorld
  readonly #halves: Halves
  readonly #seats: Seat[] = []
  readonly #web: Web
  readonly #job: JobOptions
  readonly #siteKeys: RingKey[]
  readonly #load: Partial<LoadTerms>
  readonly #links: Forwarding
  readonly #done = new Set<string>()
  readonly #last = new Map<RingKey, PeerId>()
  readonly #placed = new Map<RingKey, PeerId>()
  #isStormy = true
  #failure: { error: unknown } | undefined
  #faults = 0
  #takeovers = 0
  #movedByLoad = 0
  #bytesSent = 0

  constructor(seed: string) {
    this.#world = simulatedWorld({ seed, link: calm })
    this.#halves = new Halves(this.#world)
    this.#links = new Forwarding({
      world: this.#world,
      take: (site, urls) => this.#take(site, urls),
      fail: (error) => this.#fail(error),
    })
    const { random } = this.#world
    const isSlow = random.chance(0.5)
    this.#web = new Web({
      sites: 2 + random.below(5),
      pages: isSlow ? 10 + random.below(15) : 30 + random.below(60),
      delayMs: isSlow ? 5_000 : 1_000,
    })
    this.#job = { seeds: [this.#web.url(0, 0).href], scope: 'any', budgets: {} }
    this.#siteKeys = Array.from({ length: this.#web.sites }, (_, site) => this.#web.url(site, 0).ringKey)
    this.#load = random.chance(0.5) ? eagerLoad : {}
    const count = peersMin + random.below(peersMore + 1)
    for (let number = 0; number < count; number++) {
      const machine = this.#world.machine(`peer ${number}`)
      machine.faults.clock.rate = 1 + (random.fraction() - 0.5) * 0.008
      machine.faults.clock.offsetMs = random.between(-20_000, 20_000)
      this.#seats.push({
        machine,
        peer: undefined,
        isPaused: false,
        view: [],
        listeners: new Set(),
        placed: new Map(),
        placementListeners: new Set(),
      })
    }
  }

  async run(minutes: number): Promise<SitesFigures> {
    const { simulation, random } = this.#world
    this.#world.network.setLink(random.chance(0.5) ? stormy : calm)
    this.#links.add(this.#web.url(0, 0))
    this.#announce(0)
    for (const seat of this.#seats) await this.#world.complete(this.#start(seat))
    this.#links.start()
    this.#addAgainAndAgain()
    while (simulation.nowMs < minutes * 60_000) {
      if (random.chance(0.002)) this.#fault()
      await this.#step()
    }
    await this.#calmDown()
    await this.#untilCrawled()
    this.#check()
    for (const { peer } of this.#seats) this.#count(peer!)
    return {
      events: simulation.eventCount,
      faults: this.#faults,
      fetches: [...this.#web.fetched.values()].reduce((sum, count) => sum + count, 0),
      pages: this.#web.fetched.size,
      takeovers: this.#takeovers,
      movedByLoad: this.#movedByLoad,
      bytesSent: this.#bytesSent,
      traceHash: simulation.trace.hash,
    }
  }

  #count({ sites }: CrawlingPeer): void {
    this.#bytesSent += sites.status().bytesSent
    this.#movedByLoad += sites.movedByLoad()
  }

  get #names(): PeerId[] {
    return this.#seats.map(({ machine }) => machine.name)
  }

  async #start(seat: Seat): Promise<void> {
    const { machine } = seat
    seat.listeners.clear()
    seat.placementListeners.clear()
    seat.peer = await CrawlingPeer.open(
      {
        machine,
        random: this.#world.random.fork(`${machine.name} ${this.#faults}`),
        web: this.#web,
        places: this.#placesOf(seat),
        choice: {
          sites: () => seat.placed.keys(),
          leaderOf: (site) => seat.placed.get(site),
          onChange: (listener) => {
            seat.placementListeners.add(listener)
            return () => seat.placementListeners.delete(listener)
          },
        },
        load: this.#load,
        others: this.#names.filter((name) => name !== machine.name),
        nowMs: () => this.#world.simulation.nowMs,
        later: (delayMs, task) => this.#world.simulation.schedule(delayMs, task),
        forward: (urls) => this.#links.add(...urls),
        done: (href) => this.#done.add(href),
        leased: (href) => {
          if (this.#done.has(href))
            this.#fail(new Error(`${href} is given out again, and its completion was safe`))
        },
        fail: (error) => this.#fail(error),
      },
      this.#job,
    )
  }

  #placesOf(seat: Seat): LeasePlaces {
    const self = seat.machine.name
    return {
      self,
      isOwner: (key) => replicasAmong(seat.view, key, 1)[0] === self,
      replicaSet: (key) => {
        const set = replicasAmong(seat.view, key, copies)
        return set[0] === self ? set : undefined
      },
      fullSet: (key) => replicasAmong(this.#names, key, copies),
      isGone: () => false,
      positions: () => seat.view.map((peer) => ({ peer, index: 0, place: ringKeyOf(peer), address: '' })),
      onChange: (listener) => {
        seat.listeners.add(listener)
        return () => seat.listeners.delete(listener)
      },
      owners: { ownerOf: async (key) => ({ ...ownerAmong(seat.view, key), addresses: [] }) },
    }
  }

  /** Somebody wants something new now and then. */
  #addAgainAndAgain(): void {
    const { simulation, random } = this.#world
    simulation.schedule(random.between(0, 2 * addMs), () => {
      if (!this.#isStormy) return
      this.#addAgainAndAgain()
      this.#links.add(this.#web.add(random.below(this.#web.sites)))
    })
  }

  /** To whoever somebody believes to own it. */
  async #take(site: RingKey, urls: Url[]): Promise<boolean> {
    const { view } = this.#seats[this.#world.random.below(this.#seats.length)]!
    if (view.length === 0) return false
    const { peer: owner } = ownerAmong(view, site)
    const { machine, isPaused, peer } = this.#seats.find((seat) => seat.machine.name === owner)!
    if (!machine.isUp || isPaused || peer === undefined) return false
    return this.#takeAt(peer, site, urls)
  }

  /** An owner passes on what is for a site that another member crawls. */
  async #takeAt(peer: CrawlingPeer, site: RingKey, urls: Url[]): Promise<boolean> {
    const placedAt = peer.sites.placedAt(site)
    if (placedAt === undefined) {
      await peer.take(urls)
      return true
    }
    const leader = this.#seats.find((seat) => seat.machine.name === placedAt)!
    if (!leader.machine.isUp || leader.isPaused || leader.peer === undefined) return false
    await leader.peer.take(urls)
    return true
  }

  async #step(): Promise<void> {
    await this.#world.advance(this.#world.random.fraction() * stepMsMax)
    if (this.#failure !== undefined) throw this.#failure.error
    for (const site of this.#siteKeys) this.#checkHolder(site)
  }

  #checkHolder(site: RingKey): void {
    const leases = this.#seats.filter(({ machine, peer }) => machine.isUp && peer?.sites.canCrawl(site))
    assert(
      leases.length <= 1,
      `${leases.map(({ machine }) => machine.name)} may all crawl ${site.slice(0, 8)}`,
    )
    const name = leases[0]?.machine.name
    if (name === undefined || this.#last.get(site) === name) return
    this.#takeovers++
    this.#last.set(site, name)
  }

  #fault(): void {
    const { random } = this.#world
    this.#faults++
    const seat = this.#seats[random.below(this.#seats.length)]!
    const choice = random.below(10)
    if (choice >= 8) this.#move()
    else if (!seat.machine.isUp) this.#restart(seat)
    else if (choice < 3) this.#end(seat, choice > 0)
    else if (choice < 5) {
      if (this.#halves.isCut) this.#halves.heal()
      else this.#halves.cut(this.#names)
    } else if (choice < 6) this.#world.network.setLink(random.chance(0.5) ? stormy : calm)
    else this.#pause(seat)
    this.#announce(viewLagMsMax)
  }

  /** Somebody wants a site to be crawled by another peer, or by its owner again; all hear of it, sooner or later. */
  #move(): void {
    const { simulation, random } = this.#world
    const site = this.#siteKeys[random.below(this.#siteKeys.length)]!
    if (random.chance(0.3)) this.#placed.delete(site)
    else this.#placed.set(site, this.#names[random.below(this.#names.length)]!)
    const placed = new Map(this.#placed)
    for (const seat of this.#seats)
      simulation.schedule(random.fraction() * viewLagMsMax, () => {
        seat.placed = placed
        for (const listener of seat.placementListeners) listener()
      })
  }

  #restart(seat: Seat): void {
    seat.machine.restart()
    this.#start(seat).catch((error: unknown) => this.#fail(error))
  }

  #end(seat: Seat, isPowerCut: boolean): void {
    if (this.#seats.filter(({ machine }) => machine.isUp).length <= 1) return
    if (seat.peer !== undefined) this.#count(seat.peer)
    if (isPowerCut) seat.machine.crash()
    else seat.machine.kill()
    this.#web.hangUp(seat.machine.name, this.#world.simulation.nowMs)
    seat.peer = undefined
    seat.isPaused = false
  }

  #pause(seat: Seat): void {
    const { peer } = seat
    if (peer === undefined || seat.isPaused) return
    seat.isPaused = true
    peer.pause.begin()
    this.#world.simulation.schedule(this.#world.random.between(1_000, 60_000), () => this.#resume(seat, peer))
  }

  #resume(seat: Seat, peer: CrawlingPeer): void {
    if (seat.peer !== peer || !seat.isPaused) return
    seat.isPaused = false
    peer.pause.end()
  }

  async #calmDown(): Promise<void> {
    this.#isStormy = false
    this.#halves.heal()
    this.#world.network.setLink(calm)
    for (const seat of this.#seats) {
      if (!seat.machine.isUp) this.#restart(seat)
      else if (seat.isPaused) this.#resume(seat, seat.peer!)
    }
    this.#announce(viewLagMsMax)
    const placed = new Map(this.#placed)
    for (const seat of this.#seats)
      this.#world.simulation.schedule(viewLagMsMax, () => {
        seat.placed = placed
      })
  }

  /** Everybody learns who is there on its side, sooner or later. */
  #announce(lagMsMax: number): void {
    const { simulation, random } = this.#world
    for (const seat of this.#seats) {
      const learn = (): void => {
        const isHere = ({ machine, isPaused }: Seat) =>
          machine.isUp &&
          (!isPaused || !this.#isStormy) &&
          this.#halves.areTogether(machine.name, seat.machine.name)
        const view = this.#seats.filter(isHere).map(({ machine }) => machine.name)
        seat.view = view.includes(seat.machine.name) ? view : [...view, seat.machine.name]
        for (const listener of seat.listeners) listener()
      }
      if (lagMsMax === 0) learn()
      else simulation.schedule(random.fraction() * lagMsMax, learn)
    }
  }

  async #untilCrawled(): Promise<void> {
    const { simulation } = this.#world
    const untilMs = simulation.nowMs + settleMinutesMax * 60_000
    while (!this.#isSettled()) {
      if (simulation.nowMs > untilMs) assert.fail(`not all is crawled and settled: ${this.#picture()}`)
      for (let step = 0; step < 50; step++) await this.#step()
    }
  }

  #isSettled(): boolean {
    if (this.#links.waiting > 0) return false
    const peers = this.#seats.map(({ peer }) => peer)
    if (peers.some((peer) => peer === undefined)) return false
    const pending = peers.reduce((sum, peer) => sum + peer!.frontier.jobs.all()[0]!.counters.pending, 0)
    if (pending > 0) return false
    return this.#siteKeys.every((site) => this.#isAtHome(site))
  }

  /** In the frontier of the peer that is to crawl it, and in no other. */
  #isAtHome(site: RingKey): boolean {
    const leader = this.#leaderOf(site)
    return this.#seats.every(({ machine, peer }) => {
      const isHere = peer!.frontier.sites.head(site) !== undefined
      return machine.name === leader ? isHere && peer!.sites.canCrawl(site) : !isHere
    })
  }

  /** When everybody is there and knows it: the owner, or the member at which the site was placed, or that the owner chose. */
  #leaderOf(site: RingKey): PeerId {
    const members = replicasAmong(this.#names, site, copies)
    const placed = this.#placed.get(site)
    if (placed !== undefined && members.includes(placed)) return placed
    const owner = this.#seats.find(({ machine }) => machine.name === members[0])!
    return owner.peer?.sites.placedAt(site) ?? members[0]!
  }

  #check(): void {
    for (const url of this.#web.all) {
      assert(this.#web.fetched.has(url.href), `${url.href} was never fetched: ${this.#picture()}`)
      const leader = this.#leaderOf(url.ringKey)
      const { frontier } = this.#seats.find(({ machine }) => machine.name === leader)!.peer!
      assert(frontier.visits.of(url) !== undefined, `no visit to ${url.href} is planned`)
    }
    for (const href of this.#links.acknowledged)
      assert(this.#web.fetched.has(href), `${href} was acknowledged`)
    for (const { peer } of this.#seats) {
      const { counters } = peer!.frontier.jobs.all()[0]!
      assert(counters.pending === 0 && counters.queued >= 0, JSON.stringify(counters))
    }
    const queued = this.#seats.reduce(
      (sum, { peer }) => sum + peer!.frontier.jobs.all()[0]!.counters.queued,
      0,
    )
    assert.equal(queued, this.#web.all.length, 'URLs taken on, over all frontiers')
  }

  #picture(): string {
    const lines = this.#seats.map(({ machine, peer, view }) => {
      const sites = this.#siteKeys.filter((site) => machine.isUp && peer?.sites.canCrawl(site))
      const here = this.#siteKeys.filter((site) => peer?.frontier.sites.head(site) !== undefined)
      const owned = this.#siteKeys.filter((site) => ownerAmong(this.#names, site).peer === machine.name)
      const short = (keys: RingKey[]) => keys.map((site) => site.slice(0, 6)).join(' ')
      const pending = peer?.frontier.jobs.all()[0]?.counters.pending
      return `${machine.name}${machine.isUp ? '' : ' (down)'} sees ${view.length}, owns ${short(owned)}, may ${short(sites)}, has ${short(here)}, pending ${pending}, ${JSON.stringify(peer?.sites.status())}`
    })
    return `at ${this.#world.simulation.nowMs.toFixed(0)} ms, ${this.#web.fetched.size} of ${this.#web.all.length} fetched, outbox ${this.#links.waiting}\n${lines.join('\n')}`
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
  }
}
