// `npm run bench -- scale [--peers 1,2,4,8] [--hosts N] [--delay MS] [--latency MS] [--concurrency N] [--seconds N]`: one web
// crawled by more and more peers, each a process of its own on this machine.
//
// Peers share this machine's processors, and a web allows no more than hosts / (latency + delay) pages a second: where either
// binds, more peers cannot be faster. So each peer has few visits under way at once unless told otherwise, as a small
// machine or line would; what bound is told with each figure. Goal: 0.95 of linear until the hosts' own limits bind.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { printTable } from './measure.ts'
import { type CrawlRate, measureCrawlRate } from './scale/crawl-rate.ts'

/** Beyond which a limit is said to bind. */
const boundShare = 0.85
const warmUpSeconds = 30

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      peers: { type: 'string', default: '1,2,4,8' },
      hosts: { type: 'string', default: '200' },
      delay: { type: 'string', default: '200' },
      latency: { type: 'string', default: '50' },
      concurrency: { type: 'string', default: '2' },
      seconds: { type: 'string', default: '30' },
    },
  })
  const [hosts, delayMs, latencyMs] = [values.hosts, values.delay, values.latency].map(Number) as number[]
  const [concurrency, seconds] = [values.concurrency, values.seconds].map(Number) as number[]
  const hostsLimit = hosts! / ((delayMs! + latencyMs!) / 1_000)
  // No host runs out of pages: robots.txt and the first page come before the clock runs.
  const pages = 2 + Math.ceil((warmUpSeconds + seconds!) / ((delayMs! + latencyMs!) / 1_000))
  const origin = { sites: hosts!, pages, images: 0, seed: 'scale', latencyMs: latencyMs! }
  console.log(
    `${hosts} hosts, ${latencyMs} ms latency, ${delayMs} ms delay: at most ${hostsLimit.toFixed(0)} pages/s; ${concurrency} visits at once per peer; ${availableParallelism()} processors`,
  )
  const rows: string[][] = []
  let first: { peers: number; rate: CrawlRate } | undefined
  for (const peers of values.peers.split(',').map(Number)) {
    const plan = {
      peers,
      origin,
      delayMs: delayMs!,
      concurrency: concurrency!,
      warmUpSeconds,
      seconds: seconds!,
    }
    const rate = await measureCrawlRate(plan)
    first ??= { peers, rate }
    const linear = (first.rate.pagesPerSecond / first.peers) * peers
    rows.push(rowOf(peers, rate, linear, hostsLimit))
    console.log(`${peers} peers: ${rate.pagesPerSecond.toFixed(1)} pages/s`)
  }
  console.log(
    printTable(['peers', 'pages/s', 'of linear', 'cores', 'busy', 'ms/page', 'B/page', 'bound by'], rows),
  )
}

function rowOf(peers: number, rate: CrawlRate, linear: number, hostsLimit: number): string[] {
  const { pagesPerSecond, coresUsed, bytesPerPage } = rate
  return [
    String(peers),
    pagesPerSecond.toFixed(1),
    (pagesPerSecond / linear).toFixed(2),
    coresUsed.toFixed(2),
    `${(100 * rate.busyShare).toFixed(0)} %`,
    ((coresUsed / pagesPerSecond) * 1_000).toFixed(1),
    bytesPerPage === undefined ? '?' : bytesPerPage.toFixed(0),
    bound(rate, hostsLimit),
  ]
}

function bound(rate: CrawlRate, hostsLimit: number): string {
  if (rate.pagesPerSecond > boundShare * hostsLimit) return 'hosts'
  if (rate.busyShare > boundShare) return 'processors'
  return 'visits at once'
}
