// Three real peers archive a web that changes all the time, and are read meanwhile: does anything grow that should not?
// `npm run torture -- soak --minutes 60` runs it; `--write` puts its plot into docs/operating.
//
// Every ten seconds each peer's memory, descriptors, disk and captures are noted, with what it says of its event loop; soak-figures.ts
// says what is made of that.

import { appendFile, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { printTable } from '../../bench/measure.ts'
import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { ArchivePeer } from '../network/archive-peer.ts'
import { NetworkOfPeers } from '../network/network-of-peers.ts'
import { ChangingWeb } from './changing-web.ts'
import { figuresOf, type Sample, type SoakFigures } from './soak-figures.ts'
import { drawSoak } from './soak-plot.ts'
import { SoakReader } from './soak-reader.ts'

export interface Soak {
  readonly minutes: number
  readonly peers: number
  readonly seed: string
  /** Whether the plot goes into the documentation. */
  readonly writes: boolean
  tell(sentence: string): void
}

const sites = 8
const everySeconds = 10
const jobSeconds = 120
const tellSeconds = 60
/** A peer that is frozen for long. */
const missedMax = 5
/** Before that, caches are still being filled. */
const verdictMinutesMin = 20
const plotInDocs = new URL('../../docs/operating/soak.svg', import.meta.url)
/** Settings are the defaults but for these: the web is on this machine, and an hour is to hold what days do elsewhere. */
const words = ['--allow-address', '127.0.0.0/8', '--fresh', '20s-2m']

/** Gives the exit code. */
export async function soak({ minutes, peers, seed, writes, tell }: Soak): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const random = new SimulatedRandom(seed)
  const folder = await mkdtemp(join(tmpdir(), 'polyhistor-soak-'))
  const web = await ChangingWeb.start(sites, seed)
  const network = await NetworkOfPeers.start({ peers, words }, random.fork('network'))
  tell(
    `Seed ${seed}: ${peers} peers, ${sites} sites. Samples in ${folder}, homes and logs in ${network.folder}`,
  )
  try {
    const stop = new AbortController()
    const reader = new SoakReader({ peers: network.peers, web, random: random.fork('reader') }, stop.signal)
    const reading = reader.run()
    const samples = await sampled({ network, web, minutes, file: join(folder, 'samples.ndjson'), tell })
    stop.abort()
    await reading
    const plot = join(folder, 'soak.svg')
    await writeFile(plot, drawSoak(samples))
    if (writes) await writeFile(plotInDocs, drawSoak(samples))
    const figures = network.peers.map(({ name }) => figuresOf(samples.filter(({ peer }) => peer === name)))
    tell(`\n${tableOf(figures, samples)}\n\nRead: ${JSON.stringify(reader.counts)}. Plot: ${plot}`)
    const grown = figures.flatMap(({ peer, failures }) => failures.map((failure) => `${peer}: ${failure}`))
    const failures = [...network.faults, ...(minutes < verdictMinutesMin ? [] : grown)]
    for (const failure of failures) tell(`FAILED ${failure}`)
    if (failures.length > 0) return 1
    tell('Nothing grew that should not.')
    await network.removeFolder()
    return 0
  } finally {
    await network.end()
    web.stop()
  }
}

interface Sampling {
  readonly network: NetworkOfPeers
  readonly web: ChangingWeb
  readonly minutes: number
  readonly file: string
  tell(sentence: string): void
}

/** Crawls begin at different peers every few minutes; in between pages are visited as the peers plan it. */
async function sampled({ network, web, minutes, file, tell }: Sampling): Promise<Sample[]> {
  const samples: Sample[] = []
  const startMs = performance.now()
  let jobs = 0
  let told = 0
  let missed = 0
  for (let turn = 0; turn * everySeconds <= minutes * 60; turn++) {
    const atMs = startMs + turn * everySeconds * 1_000
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - performance.now())))
    const seconds = turn * everySeconds
    if (seconds >= jobs * jobSeconds) {
      const seeds = jobs === 0 ? web.seeds : [web.seeds[jobs % sites]!]
      await network.peers[jobs++ % network.peers.length]!.startJob(seeds)
    }
    const now = await Promise.all(network.peers.map((peer) => sampleOf(peer, seconds))).catch(() => undefined)
    if (now === undefined) {
      missed++
      tell(`${Math.round(seconds / 60)} min: a peer did not answer`)
      continue
    }
    samples.push(...now)
    await appendFile(file, now.map((sample) => `${JSON.stringify(sample)}\n`).join(''))
    if (seconds < told) continue
    told += tellSeconds
    const [first] = now
    tell(
      `${Math.round(seconds / 60)} min: ${web.requests} requests, ${first!.captures} captures, ` +
        `${megabytes(first!.ownBytes)} MB, ${first!.descriptors} descriptors, load ${loadavg()[0]!.toFixed(1)}`,
    )
  }
  if (missed > missedMax) throw new Error(`Peers did not answer ${missed} times.`)
  return samples
}

async function sampleOf(peer: ArchivePeer, seconds: number): Promise<Sample> {
  const [status, descriptors, times, diskBytes, metrics] = await Promise.all([
    readFile(`/proc/${peer.pid}/status`, 'utf8'),
    readdir(`/proc/${peer.pid}/fd`),
    readFile(`/proc/${peer.pid}/stat`, 'utf8'),
    bytesBelow(peer.home),
    peer.metrics(),
  ])
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1])
  const metric = (name: string) =>
    Number(new RegExp(`^polyhistor_${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0)
  const delays = metrics.matchAll(/^polyhistor_event_loop_delay_seconds_bucket\{.*\} (\d+)$/gm)
  // Behind the name, which may have spaces: the 12th and 13th are user and system time in hundredths of a second.
  const ticks = times.slice(times.lastIndexOf(')') + 2).split(' ')
  return {
    seconds,
    peer: peer.name,
    load: loadavg()[0]!,
    residentBytes: kilobytes('VmRSS') * 1_024,
    ownBytes: kilobytes('RssAnon') * 1_024,
    heapBytes: metric('nodejs_heap_size_used_bytes'),
    bufferBytes: metric('nodejs_external_memory_bytes'),
    descriptors: descriptors.length,
    threads: Number(/^Threads:\s+(\d+)/m.exec(status)![1]),
    diskBytes,
    captures: metric('captures'),
    fetched: metric('crawl_fetched_total'),
    cpuSeconds: (Number(ticks[11]) + Number(ticks[12])) / 100,
    delays: [...delays].map(([, count]) => Number(count)),
  }
}

/** What the files of a folder take: those that have holes less than their length. What goes meanwhile takes nothing. */
async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  let bytes = 0
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const { blocks } = await stat(join(entry.parentPath, entry.name)).catch(() => ({ blocks: 0 }))
    bytes += blocks * 512
  }
  return bytes
}

function tableOf(figures: readonly SoakFigures[], samples: readonly Sample[]): string {
  const last = (peer: string) => samples.findLast((sample) => sample.peer === peer)!
  const row = (name: string, value: (figures: SoakFigures) => string) => [name, ...figures.map(value)]
  return printTable(
    ['second half', ...figures.map(({ peer }) => peer)],
    [
      row('captures kept', ({ peer }) => String(last(peer).captures)),
      row('URLs fetched', ({ peer }) => String(last(peer).fetched)),
      row('processor time, s', ({ peer }) => last(peer).cpuSeconds.toFixed(0)),
      row('memory of its own, MB', ({ ownBytes }) => megabytes(ownBytes)),
      row('  growth, MB an hour', ({ ownBytesPerHour }) => megabytes(ownBytesPerHour)),
      row('  of JavaScript, MB an hour', ({ heapBytesPerHour }) => megabytes(heapBytesPerHour)),
      row('  of buffers, MB an hour', ({ bufferBytesPerHour }) => megabytes(bufferBytesPerHour)),
      row('descriptors, most', ({ descriptorsMax }) => String(descriptorsMax)),
      row('  growth an hour', ({ descriptorsPerHour }) => descriptorsPerHour.toFixed(1)),
      row('disk, MB an hour', ({ diskBytesPerHour }) => megabytes(diskBytesPerHour)),
      row('  kB a capture', ({ bytesPerCapture }) => (bytesPerCapture / 1e3).toFixed(2)),
      row('  kB a capture in the first half', (all) => (all.bytesPerCaptureBefore / 1e3).toFixed(2)),
      row('event loop late by, p99.9, ms', ({ delaySeconds }) => (delaySeconds * 1e3).toFixed(0)),
    ],
  )
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
