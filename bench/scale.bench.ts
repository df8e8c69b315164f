// `npm run bench -- scale [--peers 1,2,4,8] [--hosts N] [--delay MS] [--latency MS] [--concurrency N] [--positions N]
// [--warm SECONDS] [--seconds N]`: one web crawled by more and more peers, each a process of its own on this machine.
//
// A peer is a small one here: a visit at a time. So what limits one peer is its own limit, and what limits all of them together
// is told: the hosts, which allow no more than hosts / (latency + delay) pages a second, or this machine's processors, which all
// share with the origin. Processor time a page tells how many pages a second fit the machine, whatever else it does meanwhile.
// Goal: 0.95 of linear until the hosts' own limits bind.

import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { printTable } from './measure.ts'
import { type CrawlRate, measureCrawlRate } from './scale/crawl-rate.ts'

/** Until all hosts have been asked, when much else goes on. */
const spreadSecondsMax = 45
/** Of a site's pages, those that it leads to itself; others have to be crawled for the rest. */
const ownShare = 0.75
/** Beyond which a limit is said to bind. */
const boundShare = 0.85

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      peers: { type: 'string', default: '1,2,4,8' },
      hosts: { type: 'string', default: '200' },
      delay: { type: 'string', default: '200' },
      latency: { type: 'string', default: '50' },
      concurrency: { type: 'string', default: '1' },
      positions: { type: 'string', default: '4' },
      warm: { type: 'string', default: '45' },
      seconds: { type: 'string', default: '30' },
    },
  })
  const [hosts, delayMs, latencyMs] = [values.hosts, values.delay, values.latency].map(Number) as number[]
  const [concurrency, positions, warmUpSeconds, seconds] = [
    values.concurrency,
    values.positions,
    values.warm,
    values.seconds,
  ].map(Number) as number[]
  const hostsLimit = hosts! / ((delayMs! + latencyMs!) / 1_000)
  // No host runs out of pages, not even one that a peer begins with at once and asks as often as it may.
  const busySeconds = spreadSecondsMax + warmUpSeconds! + seconds!
  const pages = Math.ceil((busySeconds * 1_000) / (delayMs! + latencyMs!) / ownShare)
  const origin = { sites: hosts!, pages, images: 0, seed: 'scale', latencyMs: latencyMs! }
  console.log(
    `${hosts} hosts, ${latencyMs} ms latency, ${delayMs} ms delay: at most ${hostsLimit.toFixed(0)} pages/s; ` +
      `${concurrency} visits at once and ${positions} positions per peer; ${availableParallelism()} processors`,
  )
  const rows: string[][] = []
  let first: { peers: number; rate: CrawlRate } | undefined
  for (const peers of values.peers.split(',').map(Number)) {
    const rate = await measureCrawlRate({
      peers,
      origin,
      delayMs: delayMs!,
      concurrency: concurrency!,
      positions: positions!,
      warmUpSeconds: warmUpSeconds!,
      seconds: seconds!,
    })
    first ??= { peers, rate }
    const linear = (first.rate.pagesPerSecond / first.peers) * peers
    rows.push(rowOf(peers, rate, linear, hostsLimit / hosts!))
    console.log(`${peers} peers: ${rate.pagesPerSecond.toFixed(1)} pages/s`)
  }
  console.log(printTable(columns, rows))
  console.log(
    'ms/page: processor time of all peers; fits: pages/s at that with this machine to themselves, origin included.\n' +
      'least: the slowest peer, of an equal share. hosts: of the peer with the fewest, and with the most. cores: kept busy by peers + origin + others. idle: of a core, each peer, before the crawl.',
  )
}

const columns = [
  'peers',
  'pages/s',
  'of linear',
  'least',
  'hosts',
  'ms/page',
  'fits',
  'B/page',
  'cores',
  'idle',
  'bound by',
]

function rowOf(peers: number, rate: CrawlRate, linear: number, hostLimit: number): string[] {
  const { pagesPerSecond, leastShare, hostsOfPeers, cores, idleCores, bytesPerPage } = rate
  const others = Math.max(0, cores.all - cores.peers - cores.origin)
  return [
    String(peers),
    pagesPerSecond.toFixed(1),
    (pagesPerSecond / linear).toFixed(2),
    leastShare.toFixed(2),
    `${hostsOfPeers[0]} to ${hostsOfPeers.at(-1)}`,
    ((1_000 * cores.peers) / pagesPerSecond).toFixed(1),
    ((availableParallelism() * pagesPerSecond) / (cores.peers + cores.origin)).toFixed(0),
    bytesPerPage === undefined ? '?' : bytesPerPage.toFixed(0),
    [cores.peers, cores.origin, others].map((one) => one.toFixed(2)).join(' + '),
    `${(100 * idleCores).toFixed(1)} %`,
    boundOf(rate, linear / peers, hostLimit),
  ]
}

/** `linearEach`: pages/s of a peer that has enough hosts. */
function boundOf({ hostsOfPeers, cores }: CrawlRate, linearEach: number, hostLimit: number): string {
  const short = hostsOfPeers.filter((hosts) => boundShare * hosts * hostLimit < linearEach).length
  if (short > 0) return short === hostsOfPeers.length ? 'hosts' : `hosts of ${short} peers`
  if (cores.all > boundShare * availableParallelism()) return 'processors'
  return 'visits at once'
}
