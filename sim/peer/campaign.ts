// Whole peers crawl a small web together while processes are killed, machines lose power, the network is torn and processes are
// stopped for a while.
//
// Promises: the job ends; every page of the web is in the archive, and readable at every peer; no host is asked by two at once, nor
// sooner than its delay after it has answered; no peer logs a fault.

import assert from 'node:assert/strict'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { LinkedSites } from './linked-sites.ts'
import { hastyPlaces, WholeNetwork } from './whole-network.ts'

export interface WholeOptions {
  readonly peers?: number
  /** How long things go wrong. */
  readonly minutes?: number
  /** How often the real event loop gets its turn. */
  readonly eventsPerTurn?: number
  readonly hasMovingPlaces?: boolean
}

export interface WholeFigures extends Record<string, number | string> {
  readonly pages: number
  readonly requests: number
  readonly faults: number
  readonly events: number
  readonly virtualMinutes: number
  readonly traceHash: string
}

const delayMs = 1_000
const jobMsMax = 60 * 60_000

export async function runWholeCampaign(
  seed: string | number,
  { peers = 3, minutes = 1, eventsPerTurn = 10_000, hasMovingPlaces = false }: WholeOptions = {},
): Promise<WholeFigures> {
  const evenPlaces = hasMovingPlaces ? { evenPlaces: hastyPlaces } : {}
  const network = await WholeNetwork.start({ seed, peers, delayMs, eventsPerTurn, ...evenPlaces })
  const random = network.world.random.fork('campaign')
  const sites = new LinkedSites({ sites: 2 + random.below(4), pages: 3 + random.below(6) })
  sites.serveOn(network.web)
  await network.settled()
  const { id } = await network.startJob(`peer-${random.below(peers)}`, [sites.start])
  const trouble = new Trouble(network, random)
  await trouble.run(minutes * 60_000)
  await network.until('the end of the job', async () => isDoneEverywhere(network, id), jobMsMax)
  await checkReading(network, sites)
  network.web.checkPoliteness(delayMs)
  assert.deepEqual(network.faults, [])
  const { simulation } = network.world
  return {
    pages: sites.urls.length,
    requests: network.web.arrivals.length,
    faults: trouble.count,
    events: simulation.eventCount,
    virtualMinutes: Math.round(simulation.nowMs / 60_000),
    traceHash: simulation.trace.hash,
  }
}

async function isDoneEverywhere(network: WholeNetwork, id: string): Promise<unknown> {
  const jobs = []
  for (const { name } of network.peers) jobs.push(await network.job(name, id))
  return jobs.every(({ state }) => state === 'done') || jobs
}

export async function checkReading(network: WholeNetwork, sites: LinkedSites): Promise<void> {
  for (const { name } of network.peers)
    for (const url of sites.urls) {
      const [, site, page] = /site-(\d+)\.example\/(\d+)$/.exec(url)!.map(Number)
      const read = await network.read(name, `/web/2030id_/${url}`)
      assert.equal(read.toString(), sites.body(site!, page!), `${url} at ${name}`)
    }
}

/** What goes wrong: one thing at a time, and it is over before the next. */
class Trouble {
  count = 0
  readonly #network: WholeNetwork
  readonly #random: SimulatedRandom

  constructor(network: WholeNetwork, random: SimulatedRandom) {
    this.#network = network
    this.#random = random
  }

  async run(durationMs: number): Promise<void> {
    const { simulation } = this.#network.world
    const endMs = simulation.nowMs + durationMs
    while (simulation.nowMs < endMs) {
      await this.#network.advance(this.#random.between(2_000, 15_000))
      await this.#happen()
      this.count++
    }
  }

  async #happen(): Promise<void> {
    const network = this.#network
    const { name, pause } = network.peers[this.#random.below(network.peers.length)]!
    const lastMs = this.#random.between(1_000, 30_000)
    switch (this.#random.below(4)) {
      case 0:
        network.kill(name)
        await network.advance(lastMs)
        await network.start(name)
        break
      case 1:
        network.crash(name)
        await network.advance(lastMs)
        await network.start(name)
        break
      case 2: {
        const others = network.names.filter((other) => other !== name)
        network.world.network.cut([name], others)
        await network.advance(lastMs)
        network.world.network.heal()
        break
      }
      case 3:
        pause.begin()
        await network.advance(lastMs)
        pause.end()
    }
  }
}
