// Audits among peers that keep captures in copies: real stores and replication on simulated machines, a fifth of them free-riders, on an
// internet that loses messages; honest peers have slow disks, and pause.
//
// Promises: after ten rounds every free-rider is excluded by every honest peer that keeps a site with it (one that owns up to nothing by
// those with whom it compares its copies: owners, and those whose owner it is), no honest one by any, and every capture has as many copies
// with honest peers as are wanted: a second free-rider that came in the stead of the first is found, too.

import assert from 'node:assert/strict'
import { openAuditScores, openAudits, storedCaptures } from '../../src/app/network/audits.ts'
import type { AuditedCaptures } from '../../src/network/audits/audit-chain.ts'
import { AuditHandler } from '../../src/network/audits/audit-handler.ts'
import type { AuditScores } from '../../src/network/audits/audit-scores.ts'
import { countedPlaces } from '../../src/network/audits/counted-places.ts'
import { CopiesCalls } from '../../src/network/replication/captures/copies-calls.ts'
import { KeepingPeers } from '../../src/network/replication/captures/fixtures/keeping-peers.ts'
import { holdersOf, ringKeyOf, site } from '../../src/network/replication/captures/fixtures/kept-sites.ts'
import { placeOf } from '../../src/network/replication/captures/places.ts'
import { silentLog } from '../../src/platform/log.ts'
import type { PeerId } from '../../src/platform/network/network.ts'
import { type SimulatedWorld, simulatedWorld } from '../../src/platform/simulated/world.ts'
import { pageCapture, pageText } from '../../src/store/fixtures/sample-captures.ts'
import { Pause } from '../sites/pause.ts'
import { type FreeRiderKind, freeRiderKinds, freeRidingCaptures } from './free-riders.ts'

export interface AuditCampaignOptions {
  readonly peers?: number
  readonly sites?: number
  readonly rounds?: number
}

const roundMs = 120_000
/** How messages fare between continents, and on the way. */
const internet = { delayMsMin: 20, delayMsMax: 60, loss: 0.03, duplication: 0.01, reordering: 0.05 }
const copies = 3

export async function runAuditCampaign(
  seed: string,
  { peers: count = 15, sites = 40, rounds = 10 }: AuditCampaignOptions = {},
): Promise<Record<string, number>> {
  const world = simulatedWorld({ seed })
  const network = new AuditedNetwork(world, count)
  await network.start(sites)
  world.network.setLink(internet)
  const foundAfter = new Map<PeerId, number>()
  for (let round = 1; round <= rounds; round++) {
    await network.runRound()
    for (const liar of network.freeRiders.keys())
      if (!foundAfter.has(liar) && network.isFound(liar)) foundAfter.set(liar, round)
  }
  for (const [liar, kind] of network.freeRiders)
    assert(
      foundAfter.has(liar),
      `${liar}, a ${kind}, was not found in ${rounds} rounds: ${network.told(liar)}`,
    )
  for (const name of network.honest)
    assert.deepEqual(network.excludersOf(name), [], `${name} is honest, and excluded: ${network.told(name)}`)
  world.network.setLink({ loss: 0, duplication: 0 })
  await world.advance(120_000)
  const fewest = await network.fewestHonestCopies()
  assert(fewest >= copies, `a capture has ${fewest} copies with honest peers`)
  const statuses = network.statuses()
  const found = [...foundAfter.values()]
  await network.close()
  return {
    freeRiders: found.length,
    'rounds until found, at most': Math.max(...found),
    audits: statuses.reduce((sum, { audits }) => sum + audits, 0),
    'honest answers late': network.lateHonest,
  }
}

class AuditedNetwork {
  readonly freeRiders = new Map<PeerId, FreeRiderKind>()
  readonly honest: PeerId[] = []
  readonly #world: SimulatedWorld
  readonly #peers: KeepingPeers
  readonly #keptSites: string[] = []
  readonly #scores = new Map<PeerId, AuditScores>()
  readonly #audits = new Map<PeerId, ReturnType<typeof openAudits>>()
  readonly #pauses = new Map<PeerId, Pause>()
  /** By peer: how long its disk seeks, at most. */
  readonly #seekMs = new Map<PeerId, number>()

  constructor(world: SimulatedWorld, count: number) {
    this.#world = world
    const names = Array.from({ length: count }, (_, index) => `p${index}`)
    const liars = Math.round(count / 5)
    const first = world.random.below(freeRiderKinds.length)
    for (const [index, name] of names.entries()) {
      const kind = freeRiderKinds[(first + index) % freeRiderKinds.length]!
      if (index < liars) this.freeRiders.set(name, kind)
      else this.honest.push(name)
      this.#pauses.set(name, new Pause())
      this.#seekMs.set(name, world.random.chance(0.3) ? 60 : 15)
    }
    this.#peers = new KeepingPeers(
      world,
      { copies },
      {
        network: (name, network) => this.#pauses.get(name)!.network(network),
        places: (name, places) => countedPlaces(places, this.#scores.get(name)!),
        join: ({ name, store, copies: kept }, { services, places }) => {
          const { random } = world.machine(name)
          const clock = this.#pauses.get(name)!.clock(world.machine(name).clock)
          const calls = services.service('audits')
          const captures = this.#onDisk(name, storedCaptures(store))
          const kind = this.freeRiders.get(name)
          if (kind !== undefined) {
            const others = { captures, calls: new CopiesCalls({ calls: services.service('replica') }) }
            const riding = freeRidingCaptures(kind, {
              ...others,
              holderOf: (key) =>
                places.fullSet(placeOf(places, key)).find((peer) => this.honest.includes(peer))!,
            })
            new AuditHandler({ self: name, calls, captures: riding, clock }, { bytesPerSecond: 1e9 })
            return
          }
          const scores = this.#scores.get(name)!
          const needs = { services, store, places, copies: kept, scores, clock, random, log: silentLog }
          this.#audits.set(name, openAudits({ ...needs, captures }, { bytesPerSecond: 10_000_000, roundMs }))
        },
      },
    )
  }

  async start(sites: number): Promise<void> {
    const names = [...this.#pauses.keys()]
    for (const name of names) {
      const opened = openAuditScores(this.#world.machine(name), '/network')
      this.#scores.set(name, (await this.#world.complete(opened)).scores)
    }
    await this.#peers.start(...names)
    // Nor can they prove anything to whoever would drop a copy for theirs.
    for (const liar of this.freeRiders.keys())
      this.#peers.lie(liar, ({ kind }, answer) => (kind === 'prove' ? new Uint8Array(answer.length) : answer))
    for (let number = 0; number < sites; number++) {
      const url = site(number)
      this.#keptSites.push(url)
      const [owner] = this.#peers.ring.replicasOf(ringKeyOf(url))
      for (let page = 0; page < 4; page++)
        await this.#peers.keep(owner!, pageCapture(`${url}${page}`, 1_000 + page, pageText(number, 3_000)))
    }
  }

  /** Some honest peers stand still for a while in it. */
  async runRound(): Promise<void> {
    const endMs = this.#world.simulation.nowMs + roundMs
    while (this.#world.simulation.nowMs < endMs) {
      const name = this.honest[this.#world.random.below(this.honest.length)]!
      this.#pauses.get(name)!.begin()
      await this.#world.advance(500 + this.#world.random.below(4_000))
      this.#pauses.get(name)!.end()
      await this.#world.advance(5_000)
    }
  }

  /** By every honest peer whom it deceives: in two rounds each of them has audited it. */
  isFound(liar: PeerId): boolean {
    const excluders = this.excludersOf(liar)
    const partners = this.#partnersOf(liar)
    return partners.length > 0 && partners.every((partner) => excluders.includes(partner))
  }

  excludersOf(name: PeerId): PeerId[] {
    return [...this.#scores].filter(([, scores]) => scores.isExcluded(name)).map(([judge]) => judge)
  }

  told(name: PeerId): string {
    return JSON.stringify(this.#judgesOf(name))
  }

  statuses() {
    return Array.from(this.#audits.values(), (audits) => audits.status())
  }

  get lateHonest(): number {
    return this.honest.flatMap((name) => this.#judgesOf(name)).reduce((sum, { late }) => sum + late, 0)
  }

  async fewestHonestCopies(): Promise<number> {
    const holders = await holdersOf(this.#peers)
    const honest = new Set(this.honest)
    return Math.min(
      ...Array.from(holders.values(), (names) => names.filter((name) => honest.has(name)).length),
    )
  }

  async close(): Promise<void> {
    for (const audits of this.#audits.values()) await this.#world.complete(audits.close())
    await this.#peers.close()
  }

  /** Honest peers that keep sites which it is to keep, too. Whoever denies everything contradicts itself only to those with whom it has
   * compared its copies: each with the owner. */
  #partnersOf(name: PeerId): PeerId[] {
    const isDenier = this.freeRiders.get(name) === 'denier'
    const sets = this.#keptSites.map((url) => this.#peers.ring.replicasOf(ringKeyOf(url)))
    const shared = new Set(
      sets
        .filter((set) => set.includes(name))
        .flatMap((set) => (isDenier && set[0] !== name ? set.slice(0, 1) : set)),
    )
    return this.honest.filter((partner) => shared.has(partner))
  }

  #judgesOf(name: PeerId) {
    return this.honest.flatMap((judge) =>
      this.#scores
        .get(judge)!
        .all()
        .filter(({ peer }) => peer === name)
        .map((record) => ({ judge, ...record })),
    )
  }

  #onDisk(name: PeerId, captures: AuditedCaptures): AuditedCaptures {
    const { clock } = this.#world.machine(name)
    return {
      sizeOf: (key) => captures.sizeOf(key),
      stretch: async (key, at, bytesMax) => {
        await clock.sleep(this.#world.random.below(this.#seekMs.get(name)!))
        return captures.stretch(key, at, bytesMax)
      },
    }
  }
}
