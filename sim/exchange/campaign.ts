// One seed's campaign: peers offer links for each other's sites while machines lose power, messages get lost, parts of the
// network are cut off from each other and sites change their owners. Then quiet, and a look at who has what.
//
// Invariant: the same seed gives the same events.

import assert from 'node:assert/strict'
import { PolyhistorError } from '../../src/errors.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import type { ExchangeOptions } from '../../src/network/link-delivery/exchange.ts'
import { ChangingRing } from '../../src/network/link-delivery/fixtures/changing-ring.ts'
import {
  ExchangingPeer,
  nameOf,
  type PeerFaults,
} from '../../src/network/link-delivery/fixtures/exchanging-peer.ts'
import { type ForwardedLink, linkKinds } from '../../src/network/link-delivery/forwarded-link.ts'
import type { SimulatedMachine } from '../../src/platform/simulated/machine.ts'
import { calm, stormy } from '../../src/platform/simulated/network.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'

/** Mentions are for the link graph, which is none of this campaign's: see sim/peer/links.test.ts. */
const followedKinds = linkKinds.filter((kind) => kind !== 'mention')

const peersMin = 5
const peersMore = 11
const stormMs = 20_000
const offerMsMean = 1_000
const crashAfterOffer = 0.05
const linksPerOfferMax = 20
const sites = 150
const popularSites = 10
const quietMinutesMax = 20

export interface CampaignFigures {
  offered: number
  taken: number
  spared: number
  refused: number
  known: number
  crashes: number
  cuts: number
  ownerChanges: number
  lookups: number
  batches: number
  traceHash: string
}

export async function runCampaign(seed: string | number): Promise<CampaignFigures> {
  return new Campaign(seed).run()
}

class Campaign {
  readonly #world: SimulatedWorld
  readonly #random: SimulatedRandom
  readonly #names: string[]
  readonly #ring: ChangingRing
  readonly #peers = new Map<string, ExchangingPeer>()
  readonly #faults: PeerFaults & { notReady: number } = {
    takeFailures: 0,
    notReady: 0,
    isReady: () => !this.#random.chance(this.#faults.notReady),
  }
  readonly #options: Partial<ExchangeOptions>
  /** Accepted by the exchange: must arrive. */
  readonly #accepted: ForwardedLink[] = []
  readonly #figures = {
    spared: 0,
    refused: 0,
    known: 0,
    crashes: 0,
    cuts: 0,
    ownerChanges: 0,
    lookups: 0,
    batches: 0,
  }
  #linkCount = 0
  #isStormy = true
  #failure: { error: unknown } | undefined

  constructor(seed: string | number) {
    this.#world = simulatedWorld({ seed })
    this.#random = this.#world.random
    const count = peersMin + this.#random.below(peersMore)
    this.#names = Array.from({ length: count }, (_, index) => `peer-${index}`)
    this.#ring = new ChangingRing(this.#world, this.#names)
    this.#options = {
      batchCharsMax: this.#random.chance(0.5) ? 600 : 20_000,
      ageMsMax: this.#random.chance(0.5) ? 50 : 1_000,
      recentlySentMax: this.#random.chance(0.5) ? 40 : 10_000,
      waitingMax: 1_000 + this.#random.below(500),
      callMsMax: 2_000,
      patienceLongestMs: 5_000,
    }
  }

  async run(): Promise<CampaignFigures> {
    for (const name of this.#names) await this.#world.complete(this.#start(this.#world.machine(name)))
    for (const name of this.#names) this.#offerAgainAndAgain(name)
    this.#startFaults()
    await this.#world.advance(stormMs)
    await this.#calmDown()
    // Without anything new that could set it going again.
    await this.#untilSent()
    await this.#offerLast()
    await this.#untilSent()
    return await this.#check()
  }

  async #start(machine: SimulatedMachine): Promise<void> {
    const needs = { ring: this.#ring, random: this.#random.fork(machine.name), faults: this.#faults }
    this.#peers.set(machine.name, await ExchangingPeer.open(machine, needs, this.#options))
  }

  #startFaults(): void {
    const random = this.#random
    if (random.chance(0.7)) this.#world.network.setLink(stormy)
    this.#ring.lookupFailures = random.chance(0.5) ? 0.2 : 0
    this.#faults.takeFailures = random.chance(0.5) ? 0.1 : 0
    this.#faults.notReady = random.chance(0.5) ? 0.3 : 0
    this.#fromTimeToTime(random.between(1_000, 6_000), () => this.#crashOne())
    if (random.chance(0.6)) this.#fromTimeToTime(random.between(3_000, 10_000), () => this.#cutSome())
    if (random.chance(0.8)) this.#fromTimeToTime(random.between(1_000, 8_000), () => this.#changeOwners())
  }

  /** While the storm lasts. */
  #fromTimeToTime(meanMs: number, task: () => void): void {
    this.#world.simulation.schedule(this.#random.between(0, 2 * meanMs), () => {
      if (!this.#isStormy) return
      task()
      this.#fromTimeToTime(meanMs, task)
    })
  }

  #crashOne(): void {
    const up = this.#world.machines.filter(({ isUp }) => isUp)
    if (up.length < 2) return
    this.#crash(up[this.#random.below(up.length)]!)
  }

  #crash(machine: SimulatedMachine): void {
    if (this.#random.chance(0.7)) machine.crash()
    else machine.kill()
    this.#peers.delete(machine.name)
    this.#figures.crashes++
    this.#world.simulation.schedule(this.#random.between(10, 8_000), () => this.#restart(machine))
  }

  #restart(machine: SimulatedMachine): void {
    if (machine.isUp) return
    machine.restart()
    this.#start(machine).catch((error: unknown) => this.#fail(error))
  }

  #cutSome(): void {
    const some = this.#names.filter(() => this.#random.chance(0.3))
    this.#world.network.cut(
      some,
      this.#names.filter((name) => !some.includes(name)),
    )
    this.#figures.cuts++
    this.#world.simulation.schedule(this.#random.between(500, 6_000), () => this.#world.network.heal())
  }

  #changeOwners(): void {
    const members = this.#names.filter((name) => this.#ring.isMember(name) !== this.#random.chance(0.3))
    if (members.length === 0) return
    this.#ring.setMembers(members)
    this.#figures.ownerChanges++
  }

  #offerAgainAndAgain(name: string): void {
    this.#fromTimeToTime(offerMsMean, () => {
      const links = Array.from({ length: 1 + this.#random.below(linksPerOfferMax) }, () => this.#someLink())
      void this.#offer(name, links).catch((error: unknown) => this.#fail(error))
    })
  }

  async #offer(name: string, links: readonly ForwardedLink[]): Promise<void> {
    const peer = this.#peers.get(name)
    if (peer === undefined) return
    try {
      // A process that has ended never gets here.
      await peer.exchange.offer(links)
      this.#accepted.push(...links)
      // The worst moment: accepted just now.
      if (this.#isStormy && this.#random.chance(crashAfterOffer)) this.#crash(this.#world.machine(name))
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
    }
  }

  /** Some are popular, so that the memory of links sent has something to do. */
  #someLink(): ForwardedLink {
    const random = this.#random
    const isPopular = random.chance(0.2)
    const site = random.below(isPopular ? popularSites : sites)
    const path = isPopular
      ? `popular/${random.below(3)}`
      : `page/${++this.#linkCount}?a=${random.below(10 ** 9)}`
    return {
      url: parseUrl(`http://www.site-${site}.example/${path}`),
      kind: isPopular ? 'navigation' : followedKinds[random.below(followedKinds.length)]!,
      jobId: `job-${random.below(3)}`,
      depth: isPopular ? 1 : random.below(10),
    }
  }

  async #calmDown(): Promise<void> {
    this.#isStormy = false
    this.#faults.takeFailures = 0
    this.#faults.notReady = 0
    this.#ring.lookupFailures = 0
    this.#world.network.heal()
    this.#world.network.setLink(calm)
    this.#ring.setMembers(this.#names)
    for (const machine of this.#world.machines) this.#restart(machine)
    await this.#world.advance(10_000)
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Owners are settled now: what is offered from here on comes to the owner itself. */
  async #offerLast(): Promise<void> {
    for (const name of this.#names) {
      const links = Array.from({ length: 5 }, () => ({ ...this.#someLink(), jobId: 'last' }))
      await this.#world.complete(this.#peers.get(name)!.exchange.offer(links))
      this.#accepted.push(...links)
    }
  }

  async #untilSent(): Promise<void> {
    for (let minute = 0; minute < quietMinutesMax; minute++) {
      if ([...this.#peers.values()].every(({ exchange }) => exchange.status().waiting.links === 0)) return
      await this.#world.advance(60_000)
      if (this.#failure !== undefined) throw this.#failure.error
    }
    const waiting = [...this.#peers].map(
      ([name, { exchange }]) => `${name}: ${JSON.stringify(exchange.status())}`,
    )
    assert.fail(`links still wait after ${quietMinutesMax} quiet minutes\n${waiting.join('\n')}`)
  }

  async #check(): Promise<CampaignFigures> {
    const taken = new Map([...this.#peers].map(([name, peer]) => [name, peer.taken()]))
    const all = new Set([...taken.values()].flatMap((names) => [...names]))
    for (const link of this.#accepted) {
      const name = nameOf(link)
      assert(all.has(name), `"${name}" was accepted and is nowhere`)
      // A site that changed its owner is handed over by others. Later ones came to the right one.
      if (link.jobId === 'last')
        assert(taken.get(this.#ring.ownerOf(link.url.ringKey))!.has(name), `"${name}" is astray`)
    }
    for (const peer of this.#peers.values()) this.#sumUp(peer)
    for (const peer of this.#peers.values()) await this.#world.complete(peer.close())
    return {
      offered: this.#accepted.length,
      taken: all.size,
      ...this.#figures,
      traceHash: this.#world.simulation.trace.hash,
    }
  }

  #sumUp({ exchange }: ExchangingPeer): void {
    const { spared, sent, received } = exchange.status()
    this.#figures.spared += spared
    this.#figures.refused += sent.refused
    this.#figures.known += received.known
    this.#figures.lookups += sent.lookups
    this.#figures.batches += sent.batches
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
  }
}
