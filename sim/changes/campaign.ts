// Whole peers crawl a web that changes, while processes are killed, machines lose power, the network is torn, processes are
// stopped for a while and disks are lost and replaced by new peers, and sites are moved to other members; consumers follow the changes from peer to peer.
//
// Promises: whatever the archive keeps that was not there before is told to every consumer, at least once, and not before enough
// peers keep it; the events of a site come in order and without holes; no two events have the same id.

import assert from 'node:assert/strict'
import type { ChangeEvent } from '../../src/changes/change-event.ts'
import { parseUrl } from '../../src/model/url/url.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { printContentKey } from '../../src/store/contents/content-key.ts'
import { healthProblemOf } from '../peer/health.ts'
import { WholeNetwork } from '../peer/whole-network.ts'
import { ChangingSites } from './changing-sites.ts'
import { Consumer } from './consumer.ts'
import { untold } from './untold.ts'

export interface ChangesOptions {
  readonly peers?: number
  readonly minutes?: number
}

export interface ChangesFigures extends Record<string, number | string> {
  readonly told: number
  readonly repeated: number
  readonly moves: number
  readonly faults: number
  readonly disksLost: number
  /** Sites that were moved to another peer. */
  readonly placed: number
  readonly virtualMinutes: number
}

const stepMs = 1_000
const copiesMin = 2
const sitesCount = 3
/** Made the network, and may say who is not waited for any more. */
const administrator = 'peer-0'
const healMsMax = 10 * 60_000
const healLookMs = 5_000
const settleMsMax = 20 * 60_000
/** All that is kept is looked through for what was not told: not with every step. */
const stepsPerLook = 10
/** Wrong clocks: some peers are behind or ahead by up to so much. */
const clockMsMax = 40_000

export async function runChangesCampaign(
  seed: string | number,
  { peers = 4, minutes = 3 }: ChangesOptions = {},
): Promise<ChangesFigures> {
  const freshness = { minMs: 1_000, maxMs: 5_000 }
  const network = await WholeNetwork.start({
    seed,
    peers,
    delayMs: 100,
    freshness,
    eventsPerTurn: 10_000,
  })
  const random = network.world.random.fork('changes')
  for (const name of network.names)
    if (random.below(3) === 0)
      network.world.machine(name).faults.clock.jump(random.between(-clockMsMax, clockMsMax))
  const sites = new ChangingSites({ sites: sitesCount, pages: 4 }, random)
  sites.serveOn(network.web)
  await network.settled()
  await network.startJob(administrator, [sites.start])
  const trouble = new Trouble(network, random)
  const check = (event: ChangeEvent) => checkCopies(network, event, peers, trouble.isHealing)
  const consumers = [
    new Consumer({ network, random, check }, 'asking', false),
    new Consumer({ network, random, check }, 'following', true),
  ]
  const placing = new Placing(network, sites, network.world.random.fork('placing'))
  const { simulation } = network.world
  const endMs = simulation.nowMs + minutes * 60_000
  while (simulation.nowMs < endMs) {
    await network.advance(stepMs)
    sites.change()
    for (const consumer of consumers) consumer.step()
    await trouble.step()
    if (trouble.isResting) await placing.step()
  }
  await trouble.end()
  let steps = 0
  let lack: string[] = ['not looked yet']
  await network.until(
    'all that is kept to be told',
    async () => {
      for (const consumer of consumers) consumer.step()
      if (steps++ % stepsPerLook > 0) return lack
      lack = consumers.flatMap(({ ledger }) => untold(network, ledger))
      return lack.length === 0 || lack
    },
    settleMsMax,
  )
  assert.deepEqual(network.faults, [])
  return {
    told: consumers[0]!.ledger.events.length,
    repeated: consumers.reduce((sum, { ledger }) => sum + ledger.repeated, 0),
    moves: consumers.reduce((sum, { moves }) => sum + moves, 0),
    faults: trouble.count,
    disksLost: trouble.disksLost,
    placed: placing.count,
    cursor: consumers.map(({ cursor }) => cursor).join(' '),
    virtualMinutes: Math.round(simulation.nowMs / 60_000),
  }
}

/** An event is told when enough peers keep its capture. Of those that are down now it is not known, nor what a disk had that is lost. */
function checkCopies(
  network: WholeNetwork,
  { url, digest, id }: ChangeEvent,
  peers: number,
  isHealing: boolean,
): void {
  if (digest === undefined) return
  const has = network.peers.filter(({ store }) =>
    [...store.versions(parseUrl(url))].some(
      ({ content }) => content !== undefined && printContentKey(content) === digest,
    ),
  )
  const unknown = peers - network.peers.length + (isHealing ? 1 : 0)
  assert(has.length + unknown >= copiesMin, `${url} (${id}) was told, and ${has.length} peers keep it`)
}

/** What goes wrong: one thing at a time, with pauses in which the peers come to rest. */
class Trouble {
  count = 0
  disksLost = 0
  /** A disk was lost, and what was on it is not copied again yet. */
  isHealing = false
  readonly #network: WholeNetwork
  readonly #random: SimulatedRandom
  #nextMs = 0
  #over: (() => Promise<void>) | undefined
  #lost: string | undefined

  constructor(network: WholeNetwork, random: SimulatedRandom) {
    this.#network = network
    this.#random = random
    this.#nextMs = network.world.simulation.nowMs + random.between(5_000, 20_000)
  }

  /** Nothing is wrong now. */
  get isResting(): boolean {
    return this.#over === undefined && !this.isHealing
  }

  async step(): Promise<void> {
    const { nowMs } = this.#network.world.simulation
    if (nowMs < this.#nextMs) return
    const over = this.#over
    this.#over = undefined
    if (over === undefined && this.isHealing) {
      this.isHealing = (await this.#healthProblem()) !== undefined
      this.#nextMs = nowMs + healLookMs
      return
    }
    if (over !== undefined) {
      await over()
      this.#nextMs = nowMs + this.#random.between(5_000, this.#random.below(3) > 0 ? 15_000 : 90_000)
      return
    }
    this.count++
    this.#over = this.#happen()
    this.#nextMs = nowMs + this.#random.between(1_000, this.#random.below(2) === 0 ? 10_000 : 60_000)
  }

  async end(): Promise<void> {
    await this.#over?.()
    await this.#network.until(
      'lost disks to be made good',
      async () => {
        const problem = await this.#healthProblem()
        this.isHealing &&= problem !== undefined
        return !this.isHealing || problem
      },
      healMsMax,
    )
  }

  /** Nobody is to wait for what was lost: an owner says so as soon as it is missed. */
  async #healthProblem(): Promise<string | undefined> {
    const network = this.#network
    if (this.#lost !== undefined) {
      try {
        await network.post(administrator, '/api/v1/network/forget', { peer: this.#lost })
        this.#lost = undefined
      } catch (error) {
        assert.match((error as Error).message, /with [45]/)
        return `${(error as Error).message}`
      }
    }
    return healthProblemOf(network)
  }

  #happen(): () => Promise<void> {
    const network = this.#network
    const { name, pause } = network.peers[this.#random.below(network.peers.length)]!
    switch (this.#random.below(5)) {
      case 0:
        network.kill(name)
        return async () => void (await network.start(name))
      case 1:
        network.crash(name)
        return async () => void (await network.start(name))
      case 2:
        network.world.network.cut(
          [name],
          network.names.filter((other) => other !== name),
        )
        return async () => network.world.network.heal()
      case 3: {
        const lost = network.peers.find(
          (peer) => peer.name !== administrator && (name === administrator || peer.name === name),
        )!
        this.disksLost++
        this.isHealing = true
        this.#lost = lost.home.ring!.peer
        network.remove(lost.name)
        return async () => void (await network.add())
      }
      default:
        pause.begin()
        return async () => pause.end()
    }
  }
}

/** Somebody moves a site to another peer now and then, or leaves it to the ring again. */
class Placing {
  count = 0
  readonly #network: WholeNetwork
  readonly #sites: ChangingSites
  readonly #random: SimulatedRandom
  #nextMs = 0

  constructor(network: WholeNetwork, sites: ChangingSites, random: SimulatedRandom) {
    this.#network = network
    this.#sites = sites
    this.#random = random
  }

  async step(): Promise<void> {
    const network = this.#network
    const { nowMs } = network.world.simulation
    if (nowMs < this.#nextMs) return
    this.#nextMs = nowMs + this.#random.between(5_000, 60_000)
    const any = () => network.peers[this.#random.below(network.peers.length)]!
    const peer = this.#random.below(4) === 0 ? undefined : any().home.ring!.peer
    const move = { action: 'move', site: this.#sites.host(this.#random.below(sitesCount)), peer }
    try {
      await network.post(any().name, '/api/v1/admin/actions', move)
      this.count++
    } catch (error) {
      // That peer keeps nothing of the site, or the ring is still healing.
      assert.match((error as Error).message, /with (?:409|503)/)
    }
  }
}
