// How fast so many peers crawl one web together, once they are at it, and what that takes.

import { readFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { healed } from '../../e2e/network/health.ts'
import { NetworkOfPeers } from '../../e2e/network/network-of-peers.ts'
import type { OriginPlan } from '../../e2e/network/sites-origin.ts'
import { SitesProcess } from '../../e2e/network/sites-process.ts'
import { SimulatedRandom } from '../../src/world/simulated/random.ts'
import { bytesBetweenPeers } from './peer-traffic.ts'

export interface RatePlan {
  readonly peers: number
  readonly origin: OriginPlan
  readonly delayMs: number
  /** Visits under way at once, of each peer. */
  readonly concurrency: number
  readonly warmUpSeconds: number
  readonly seconds: number
}

export interface CrawlRate {
  readonly pagesPerSecond: number
  /** Processors that the peers kept busy. */
  readonly coresUsed: number
  /** Of the machine's processors, whoever used them. */
  readonly busyShare: number
  readonly bytesPerPage: number | undefined
}

const startMsMax = 120_000
/** Of Linux, everywhere. */
const ticksPerSecond = 100

export async function measureCrawlRate(plan: RatePlan): Promise<CrawlRate> {
  const { peers, delayMs, concurrency, seconds } = plan
  const origin = await SitesProcess.start(plan.origin)
  try {
    const words = [
      '--allow-address',
      '127.0.0.0/8',
      '--delay',
      `${delayMs}`,
      '--concurrency',
      `${concurrency}`,
    ]
    const network = await NetworkOfPeers.start({ peers, words }, new SimulatedRandom(plan.origin.seed))
    try {
      await healed(network, startMsMax)
      await network.peers[0]!.startJob(origin.web.firstPages)
      await sleep(plan.warmUpSeconds * 1_000)
      const before = await countersOf(network, origin)
      await sleep(seconds * 1_000)
      const after = await countersOf(network, origin)
      const pages = after.pages - before.pages
      const bytes = after.bytes === undefined ? undefined : after.bytes - (before.bytes ?? 0)
      const tookSeconds = (after.atMs - before.atMs) / 1_000
      return {
        pagesPerSecond: pages / tookSeconds,
        coresUsed: (after.processorSeconds - before.processorSeconds) / tookSeconds,
        busyShare: 1 - (after.idleSeconds - before.idleSeconds) / tookSeconds / availableParallelism(),
        bytesPerPage: bytes === undefined || pages === 0 ? undefined : bytes / pages,
      }
    } finally {
      await network.end()
      await network.removeFolder()
    }
  } finally {
    await origin.stop()
  }
}

async function countersOf(network: NetworkOfPeers, origin: SitesProcess) {
  const arrivals = await origin.arrivals()
  const atMs = performance.now()
  const used = await Promise.all(network.peers.map(({ pid }) => processorSeconds(pid)))
  return {
    atMs,
    pages: arrivals.filter(({ path }) => path !== '/robots.txt').length,
    processorSeconds: used.reduce((sum, one) => sum + one, 0),
    idleSeconds: cpus().reduce((sum, { times }) => sum + times.idle, 0) / 1_000,
    bytes: await bytesBetweenPeers(network.ports),
  }
}

async function processorSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / ticksPerSecond
}
