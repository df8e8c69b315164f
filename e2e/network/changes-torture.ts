// Five real peers crawl a web of so many pages while peers are killed, paused, wiped and replaced, and consumers are killed and move from
// peer to peer: every event must reach every consumer, in order per site, and whatever is kept in the end must have been told. What there is
// to tell is known from the generated web, from what its server was asked for, and from the disks; not from the stream.
// `npm run torture -- changes` runs it; e2e/network/changes.test.ts is a small one.

import { hash } from 'node:crypto'
import { printTable } from '../../bench/measure.ts'
import type { ChangeEvent } from '../../src/changes/change-event.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import { printContentKey } from '../../src/store/contents/content-key.ts'
import { ChangeReader } from './change-reader.ts'
import { healed } from './health.ts'
import { NetworkOfPeers } from './network-of-peers.ts'
import { SitesProcess } from './sites-process.ts'
import { Trouble } from './trouble.ts'

export interface ChangesTorture {
  readonly seed: string
  readonly events: number
  readonly peers: number
  /** It gives up after so long. */
  readonly minutesMax: number
  tell(sentence: string): void
}

const sites = 40
const movesMin = 50
/** A disk that is lost is made good by copying what was on it. */
const healMs = 900_000
const healMsPerEvent = 10
/** With many events, copying them anew would be all that the peers do. */
const disksLostMax = 8
const tellMs = 15_000
/** Captures whose peers lost their sites are looked for a minute after they came. */
const lateMs = 120_000
const quietMs = 60_000
const lateMsMax = 10 * 60_000
const words = ['--allow-address', '127.0.0.0/8', '--delay', '0', '--set', 'search.index=no']

/** Gives the exit code. */
export async function tortureChanges(torture: ChangesTorture): Promise<number> {
  const { seed, events, peers, tell } = torture
  // The processes that were started end with this one, however it does.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const random = new SimulatedRandom(seed)
  const pages = Math.ceil(events / sites)
  const origin = await SitesProcess.start({ sites, pages, images: 0, seed, latencyMs: 5 })
  const network = await NetworkOfPeers.start({ peers, words }, random.fork('network'))
  tell(`Seed ${seed}: ${peers} peers, ${origin.web.urls.length} pages. Homes and logs: ${network.folder}`)
  try {
    const failures = await crawlInTrouble(torture, network, origin, random)
    for (const failure of failures.slice(0, 20)) tell(`FAILED ${failure}`)
    if (failures.length > 0) {
      tell(`Again: npm run torture -- changes --events ${events} --peers ${peers} --seed ${seed}`)
      return 1
    }
    tell('Every event reached every consumer, in order, and whatever is kept was told.')
    await network.removeFolder()
    return 0
  } finally {
    await network.end()
    await origin.stop()
  }
}

async function crawlInTrouble(
  { minutesMax, events, peers, tell }: ChangesTorture,
  network: NetworkOfPeers,
  origin: SitesProcess,
  random: SimulatedRandom,
): Promise<string[]> {
  const healMsMax = healMs + events * healMsPerEvent
  await healed(network, healMsMax, tell)
  const startMs = performance.now()
  const endMs = startMs + minutesMax * 60_000
  const wanted = origin.web.urls
  const readers = [
    new ChangeReader(network, random.fork('asking'), { isFollowing: false, killedOneIn: 5, pausedOneIn: 5 }),
    new ChangeReader(network, random.fork('following'), {
      isFollowing: true,
      killedOneIn: 5,
      pausedOneIn: 5,
    }),
  ]
  const progress = () => readers.map(({ eventCount, moves }) => `${eventCount} in ${moves} moves`).join(', ')
  await network.peers[0]!.startJob([origin.web.start])
  const trouble = new Trouble(
    { network, random: random.fork('trouble'), tell },
    {
      atOnce: 1,
      losesDisks: true,
      disksLostMax,
      administrator: network.peers[0]!,
      waitsForLossesOnly: true,
      peersMin: peers - 1,
      peersMax: peers + 2,
      healMsMax,
    },
  )
  const over = new AbortController()
  const failures: string[] = []
  // A network that does not get over its trouble ends the run, and is what is told of it.
  const troubled = trouble.run(endMs, over.signal).catch((error: Error) => {
    failures.push(`trouble: ${error.message}`)
    over.abort()
  })
  const isDone = () =>
    over.signal.aborted ||
    readers.every((reader) => reader.lacking(wanted).length === 0 && reader.moves >= movesMin)
  const teller = setInterval(() => tell(progress()), tellMs)
  try {
    await Promise.all(readers.map((reader) => readUntil(reader, isDone, endMs)))
    const seconds = Math.round((performance.now() - startMs) / 1_000)
    tell(`Read for ${seconds} s: ${progress()}; ${JSON.stringify(trouble.counts)}`)
  } finally {
    // A peer that is being started is not to be killed by the end of the run.
    over.abort()
    await troubled
    clearInterval(teller)
  }
  await readLate(readers)
  tell(`\n${figuresOf(readers, trouble.counts, (performance.now() - startMs) / 1_000)}\n`)
  return [
    ...failures,
    ...readers.flatMap((reader) => lacks(reader, wanted)),
    ...(await untold(network, readers)),
    ...(await neverServed(origin, readers)),
    ...network.faults,
  ]
}

/** What lies untold with somebody who lost its site comes now: until nothing came for a while. */
async function readLate(readers: readonly ChangeReader[]): Promise<void> {
  const startMs = performance.now()
  let count = 0
  let newAtMs = startMs
  const isQuiet = () => {
    const nowMs = performance.now()
    const now = readers.reduce((sum, { eventCount }) => sum + eventCount, 0)
    if (now > count) newAtMs = nowMs
    count = now
    return nowMs - startMs > lateMs && nowMs - newAtMs > quietMs
  }
  await Promise.all(readers.map((reader) => readUntil(reader, isQuiet, startMs + lateMsMax)))
}

async function readUntil(reader: ChangeReader, isDone: () => boolean, endMs: number): Promise<void> {
  while (!isDone() && performance.now() < endMs) {
    await reader.read()
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

function lacks(reader: ChangeReader, wanted: readonly string[]): string[] {
  const lacking = reader.lacking(wanted)
  const few = lacking.length === 0 ? [] : [`${lacking.length} pages were never told, as ${lacking[0]}`]
  return reader.moves >= movesMin ? few : [...few, `only ${reader.moves} moves between peers`]
}

/** What is on any disk, and in no event that a reader got. */
async function untold(network: NetworkOfPeers, readers: readonly ChangeReader[]): Promise<string[]> {
  await network.end()
  const failures: string[] = []
  const told = readers.map(
    ({ ledger }) => new Set(ledger.events.map(({ url, digest }) => `${url} ${digest}`)),
  )
  for (const peer of network.peers)
    for (const { url, status, content } of await peer.holdings()) {
      if (status !== 200 || content === undefined || url.endsWith('/robots.txt')) continue
      const name = `${url} ${printContentKey(content)}`
      if (told.some((names) => !names.has(name)))
        failures.push(`${peer.name} keeps ${name}, which was not told`)
    }
  return failures
}

/** Events of what the web's server did not give. */
async function neverServed(origin: SitesProcess, readers: readonly ChangeReader[]): Promise<string[]> {
  const visits = Map.groupBy(await origin.arrivals(), ({ address, path }) => `${address} ${path}`)
  const isServed = ({ url, digest }: ChangeEvent): boolean => {
    const { hostname, pathname } = new URL(url)
    const count = visits.get(`${hostname} ${pathname}`)?.length ?? 0
    const resource = origin.web.resourceAt(url)
    for (let visit = 1; visit <= count && resource !== undefined; visit++)
      if (digest === `sha256:${hash('sha256', resource.body(visit))}`) return true
    return false
  }
  return readers
    .flatMap(({ ledger }) => ledger.events)
    .filter((event) => event.digest !== undefined && !event.url.endsWith('/robots.txt') && !isServed(event))
    .map(({ id, url }) => `event ${id} tells of ${url} what was never served`)
}

function figuresOf(
  readers: readonly ChangeReader[],
  troubles: Readonly<Record<string, number>>,
  seconds: number,
): string {
  const row = (name: string, value: (reader: ChangeReader) => number) => [
    name,
    ...readers.map((reader) => String(value(reader))),
  ]
  const consumers = printTable(
    ['consumer', 'asks again', 'follows'],
    [
      row('events', ({ eventCount }) => eventCount),
      row('received again', ({ ledger }) => ledger.repeated),
      row('moves of the cursor between peers', ({ moves }) => moves),
      row('processes', ({ counts }) => counts.processes),
      row('  killed early, what it noted last lost', ({ counts }) => counts.killedEarly),
      row('  paused', ({ counts }) => counts.paused),
    ],
  )
  const rows = Object.entries(troubles).map(([name, count]) => [name, String(count)])
  return `${consumers}\n\n${printTable([`peers, in ${Math.round(seconds)} s`, 'times'], rows)}`
}
