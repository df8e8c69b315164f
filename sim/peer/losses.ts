// Whole peers crawl a web while two of them at a time are in trouble: killed, paused, or lost for good with their disks; others join.
//
// A peer counts as in trouble until the network says that it has got over it, so of three copies one is always left.
// Promises: those of campaign.ts. Above all, every page that can be reached is crawled: no link and no queued URL was lost.

import assert from 'node:assert/strict'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { checkReading } from './campaign.ts'
import { healthProblemOf } from './health.ts'
import { LinkedSites } from './linked-sites.ts'
import { hastyPlaces, WholeNetwork } from './whole-network.ts'

export interface LossesFigures extends Record<string, number | string> {
  readonly pages: number
  readonly requests: number
  readonly kills: number
  readonly pauses: number
  readonly disksLost: number
  /** At the end; each peer began with one. */
  readonly places: number
  readonly events: number
  readonly virtualMinutes: number
  readonly traceHash: string
}

const delayMs = 4_000
const peersAtFirst = 6
const peersMin = 4
const peersMax = 7
const hands = 2
const stepMs = 500
const lookMs = 2_000
const restMsMax = 5_000
const downMsMax = 20_000
const pauseMsMin = 5_000
const pauseMsMax = 30_000
const healMsMax = 10 * 60_000
const jobMsMax = 60 * 60_000

interface LossesOptions {
  readonly minutes?: number
  readonly hasMovingPlaces?: boolean
}

export async function runLossesCampaign(
  seed: string | number,
  { minutes = 2, hasMovingPlaces = false }: LossesOptions = {},
): Promise<LossesFigures> {
  const network = await WholeNetwork.start({
    ...{ seed, peers: peersAtFirst, delayMs, patienceMs: 2_000 },
    ...(hasMovingPlaces && { evenPlaces: hastyPlaces }),
  })
  const random = network.world.random.fork('losses')
  const sites = new LinkedSites({ sites: 8, pages: 30 })
  sites.serveOn(network.web)
  await network.settled()
  const { id } = await network.startJob('peer-0', [sites.start])
  const trouble = new Trouble(network, random)
  await trouble.run(minutes * 60_000)
  await network.until(
    'the end of the job',
    async () => {
      const { state, counters } = await network.job(network.peers[0]!.name, id)
      return state === 'done' || counters
    },
    jobMsMax,
  )
  checkAllFetched(network, sites)
  await trouble.waitUntilWell()
  await checkReading(network, sites)
  network.web.checkPoliteness(delayMs)
  assert.deepEqual(network.faults, [])
  const { simulation } = network.world
  return {
    pages: sites.urls.length,
    requests: network.web.arrivals.length,
    ...trouble.counts,
    places: network.peers.reduce((sum, { home }) => sum + home.ring!.taken.indexes.length, 0),
    events: simulation.eventCount,
    virtualMinutes: Math.round(simulation.nowMs / 60_000),
    traceHash: simulation.trace.hash,
  }
}

function checkAllFetched(network: WholeNetwork, sites: LinkedSites): void {
  const fetched = new Set(network.web.arrivals.map(({ host, path }) => `http://${host}${path}`))
  const never = sites.urls.filter((url) => !fetched.has(url))
  assert.deepEqual(never, [], 'pages that can be reached and that nobody fetched')
}

type Hand =
  | { readonly state: 'rest'; readonly untilMs: number }
  | { readonly state: 'away'; readonly untilMs: number; readonly name: string; back(): Promise<unknown> }
  | {
      readonly state: 'healing'
      readonly sinceMs: number
      readonly name: string
      looks: number
      nextMs: number
    }

class Trouble {
  readonly counts = { kills: 0, pauses: 0, disksLost: 0 }
  readonly #network: WholeNetwork
  readonly #random: SimulatedRandom
  #hands: Hand[]

  constructor(network: WholeNetwork, random: SimulatedRandom) {
    this.#network = network
    this.#random = random
    this.#hands = Array.from({ length: hands }, () => this.#rest())
  }

  async run(durationMs: number): Promise<void> {
    const endMs = this.#nowMs + durationMs
    while (this.#nowMs < endMs || this.#hands.some(({ state }) => state !== 'rest')) {
      for (const [index, hand] of this.#hands.entries())
        this.#hands[index] = await this.#step(hand, this.#nowMs < endMs)
      await this.#network.advance(stepMs)
    }
  }

  waitUntilWell(): Promise<void> {
    return this.#network.until(
      'the network to be well',
      async () => (await this.#healthProblem()) ?? true,
      healMsMax,
    )
  }

  get #nowMs(): number {
    return this.#network.world.simulation.nowMs
  }

  #rest(): Hand {
    return { state: 'rest', untilMs: this.#nowMs + this.#random.below(restMsMax) }
  }

  async #step(hand: Hand, goesOn: boolean): Promise<Hand> {
    const nowMs = this.#nowMs
    if (hand.state === 'healing') return this.#heal(hand)
    if (nowMs < hand.untilMs) return hand
    if (hand.state === 'rest') return goesOn ? this.#begin() : hand
    await hand.back()
    return this.#healing(hand.name)
  }

  #healing(name: string): Hand {
    return { state: 'healing', name, sinceMs: this.#nowMs, looks: 0, nextMs: this.#nowMs }
  }

  async #heal(hand: Extract<Hand, { state: 'healing' }>): Promise<Hand> {
    if (this.#nowMs < hand.nextMs) return hand
    const healthProblem = await this.#healthProblem()
    hand.looks = healthProblem === undefined ? hand.looks + 1 : 0
    hand.nextMs = this.#nowMs + lookMs
    assert(this.#nowMs - hand.sinceMs < healMsMax, `not well again after ${healMsMax} ms: ${healthProblem}`)
    return hand.looks >= 2 ? this.#rest() : hand
  }

  async #begin(): Promise<Hand> {
    const network = this.#network
    const busy = new Set(this.#hands.flatMap((hand) => (hand.state === 'rest' ? [] : [hand.name])))
    const untroubled = network.peers.filter(({ name }) => !busy.has(name))
    const { name, pause } = untroubled[this.#random.below(untroubled.length)]!
    const count = network.peers.length
    switch (this.#random.below(5)) {
      case 0: {
        this.counts.kills++
        network.kill(name)
        const untilMs = this.#nowMs + this.#random.below(downMsMax)
        return { state: 'away', untilMs, name, back: () => network.start(name) }
      }
      case 1: {
        this.counts.pauses++
        pause.begin()
        const untilMs = this.#nowMs + this.#random.between(pauseMsMin, pauseMsMax)
        return { state: 'away', untilMs, name, back: async () => pause.end() }
      }
      case 2:
        if (count > peersMin + 1) {
          this.counts.disksLost++
          network.remove(name)
          return this.#healing(name)
        }
        break
      case 3:
        if (count < peersMax - 1) {
          await network.add()
          return this.#healing(name)
        }
    }
    this.counts.disksLost++
    network.remove(name)
    await network.add()
    return this.#healing(name)
  }

  #healthProblem(): Promise<string | undefined> {
    const away = new Set(this.#hands.flatMap((hand) => (hand.state === 'away' ? [hand.name] : [])))
    return healthProblemOf(this.#network, (name) => !away.has(name))
  }
}
