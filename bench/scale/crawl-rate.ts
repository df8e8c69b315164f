// How fast so many peers crawl one web together, once they are at it, and what that takes.
//
// Nothing counts before every host has been asked for a page, so that all sites are with the peers that crawl them, nor while the
// code is being compiled.

import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrival } from '../../e2e/network/arrivals.ts'
import { healed } from '../../e2e/network/health.ts'
import { NetworkOfPeers } from '../../e2e/network/network-of-peers.ts'
import type { OriginPlan } from '../../e2e/network/sites-origin.ts'
import { SitesProcess } from '../../e2e/network/sites-process.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { bytesBetweenPeers } from './peer-traffic.ts'
import { idleSeconds, processorSeconds } from './processor-time.ts'

export interface RatePlan {
  readonly peers: number
  readonly origin: OriginPlan
  readonly delayMs: number
  /** Visits under way at once, of each peer. */
  readonly concurrency: number
  /** Positions on the ring, of each peer: with few, some peers have next to no hosts. */
  readonly positions: number
  /** From when all hosts have been asked. */
  readonly warmUpSeconds: number
  readonly seconds: number
}

export interface CrawlRate {
  readonly pagesPerSecond: number
  /** Of the peer that fetched the fewest, as part of what each would have if all fetched the same. */
  readonly leastShare: number
  /** Hosts of each peer, the fewest first: what they allow is all that it can fetch. */
  readonly hostsOfPeers: readonly number[]
  /** Processors kept busy: by the peers, by the origin, and by all processes of the machine. */
  readonly cores: { readonly peers: number; readonly origin: number; readonly all: number }
  /** Of one peer while nothing is crawled. */
  readonly idleCores: number
  readonly bytesPerPage: number | undefined
}

const startMsMax = 120_000
/** Until all sites are with those who crawl them. */
const spreadMsMax = 180_000
const idleSecondsMeasured = 10

export async function measureCrawlRate(plan: RatePlan): Promise<CrawlRate> {
  const origin = await SitesProcess.start(plan.origin)
  try {
    const network = await NetworkOfPeers.start(
      { peers: plan.peers, words: wordsOf(plan) },
      new SimulatedRandom(plan.origin.seed),
    )
    try {
      return await measure(plan, network, origin)
    } finally {
      await network.end()
      await network.removeFolder()
    }
  } finally {
    await origin.stop()
  }
}

function wordsOf({ delayMs, concurrency, positions }: RatePlan): string[] {
  return [
    ...['--allow-address', '127.0.0.0/8', '--delay', `${delayMs}`],
    ...['--concurrency', `${concurrency}`, '--set', `ring.positions=${positions}`],
  ]
}

async function measure(plan: RatePlan, network: NetworkOfPeers, origin: SitesProcess): Promise<CrawlRate> {
  await healed(network, startMsMax)
  const quiet = await between(network, origin, idleSecondsMeasured)
  await network.peers[0]!.startJob(origin.web.firstPages)
  await untilAllAsked(plan.origin.sites, origin)
  await sleep(plan.warmUpSeconds * 1_000)
  const { arrivals, seconds, peers, idle, bytes, ...used } = await between(network, origin, plan.seconds)
  const pages = arrivals.length
  const byPeer = Map.groupBy(arrivals, ({ agent }) => agent)
  const least = Math.min(...network.peers.map(({ name }) => byPeer.get(name)?.length ?? 0))
  return {
    pagesPerSecond: pages / seconds,
    leastShare: (least * plan.peers) / pages,
    hostsOfPeers: hostCounts(network, arrivals),
    cores: {
      peers: peers / seconds,
      origin: used.origin / seconds,
      all: availableParallelism() - idle / seconds,
    },
    idleCores: quiet.peers / quiet.seconds / plan.peers,
    bytesPerPage: bytes === undefined || pages === 0 ? undefined : bytes / pages,
  }
}

function hostCounts(network: NetworkOfPeers, arrivals: readonly Arrival[]): number[] {
  const hosts = new Map(network.peers.map(({ name }) => [name, new Set<string>()]))
  for (const { agent, address } of arrivals) hosts.get(agent)?.add(address)
  return [...hosts.values()].map(({ size }) => size).sort((a, b) => a - b)
}

async function untilAllAsked(sites: number, origin: SitesProcess): Promise<void> {
  const endMs = performance.now() + spreadMsMax
  for (;;) {
    const asked = new Set(pagesOf(await origin.arrivals()).map(({ address }) => address)).size
    if (asked >= sites) return
    if (performance.now() > endMs) throw new Error(`only ${asked} of ${sites} hosts were asked`)
    await sleep(1_000)
  }
}

/** What happens within so many seconds. */
async function between(network: NetworkOfPeers, origin: SitesProcess, seconds: number) {
  const before = await countersOf(network, origin)
  await sleep(seconds * 1_000)
  const after = await countersOf(network, origin)
  return {
    arrivals: after.arrivals.slice(before.arrivals.length),
    seconds: (after.atMs - before.atMs) / 1_000,
    peers: after.peers - before.peers,
    origin: after.origin - before.origin,
    idle: after.idle - before.idle,
    bytes: after.bytes === undefined || before.bytes === undefined ? undefined : after.bytes - before.bytes,
  }
}

async function countersOf(network: NetworkOfPeers, origin: SitesProcess) {
  const arrivals = pagesOf(await origin.arrivals())
  const atMs = performance.now()
  const used = await Promise.all(network.peers.map(({ pid }) => processorSeconds(pid)))
  return {
    atMs,
    arrivals,
    peers: used.reduce((sum, one) => sum + one, 0),
    origin: await processorSeconds(origin.pid),
    idle: idleSeconds(),
    bytes: await bytesBetweenPeers(network.ports),
  }
}

function pagesOf(arrivals: readonly Arrival[]): Arrival[] {
  return arrivals.filter(({ path }) => path !== '/robots.txt')
}
