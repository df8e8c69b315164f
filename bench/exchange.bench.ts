// `npm run bench -- exchange [--links N] [--only NAME]`: links from one process to four peers in another, over libp2p on loopback, durable
// at both sides.
//
// Herodotus (4.4) reckons with 920 bytes for a link that is looked up and sent alone, and 70 for one in a batch. Goal: 20
// bytes, counted at the socket: handshakes, answers and all that libp2p adds, without the headers of TCP and IP.

import { fork } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { jobIdOf } from '../src/crawl/frontier/jobs/crawl-job.ts'
import type { LinkMention } from '../src/model/page-link.ts'
import { parseUrl } from '../src/model/url/url.ts'
import type { Exchange } from '../src/network/link-delivery/exchange.ts'
import { FixedRing, type RingMember } from '../src/network/link-delivery/fixtures/fixed-ring.ts'
import { startRealPeer } from '../src/network/link-delivery/fixtures/real-peer.ts'
import { type ForwardedLink, mentionFacts } from '../src/network/link-delivery/forwarded-link.ts'
import { startNetwork } from '../src/platform/real/network/network.ts'
import { bytesPerLink, jsonGzipBytes } from './exchange/codings.ts'
import { frontierJob } from './exchange/frontier-peer.ts'
import { generatedWeb, type MixedLink, mixedWeb, readmes } from './exchange/link-mixes.ts'
import { mentionsOf } from './exchange/mentions.ts'
import { measureSparing } from './exchange/sparing.ts'
import { printTable } from './measure.ts'

const receivers = 4
/** As a crawler finds them: pages side by side, each with so many links to other sites. */
const pagesAtOnce = 64
const linksPerPage = 9
const frontierJobId = jobIdOf(frontierJob)
const herodotus = { alone: 920, batched: 70 }
const goalBytes = 20
const columns = [
  'bytes and CPU a link',
  'links',
  'payload B',
  'socket B',
  'JSON+gzip B',
  'ratio',
  'links/s',
  'CPU µs',
  'a batch',
  'lookups/1000',
]

/** `found`: links go out while others are found, a batch for each owner a second. `waiting`: all wait, as for a peer that
 * was down, and go out in full batches, however slow the machine. */
type Pace = 'found' | 'waiting'

interface Trial {
  readonly name: string
  readonly links: readonly MixedLink[]
  readonly pace: Pace
  /** Into frontiers, as in a crawl; else they are only kept. */
  readonly isQueued?: true
  /** Each link says where it was found, too: one for each. */
  readonly mentions?: readonly LinkMention[]
}

interface Result {
  links: number
  payload: number
  socket: number
  jsonGzip: number
  perSecond: number
  cpuMicros: number
  linksPerBatch: number
  lookupsPer1000: number
}

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: { links: { type: 'string', default: '40000' }, only: { type: 'string', default: '' } },
  })
  const count = Number(values.links)
  const mixes = {
    'generated web': generatedWeb(count),
    'mixed web': mixedWeb(count),
    readmes: readmes(count),
  }
  const rows: string[][] = []
  const trials = Object.entries(mixes).flatMap(([name, links]) => trialsOf(name, links))
  for (const trial of trials.filter(({ name }) => name.includes(values.only))) {
    rows.push(rowOf(trial.name, await measureTrial(trial)))
  }
  console.log(printTable(columns, rows))
  console.log(
    `\nHerodotus: ${herodotus.alone} bytes alone, ${herodotus.batched} in batches. Goal: ${goalBytes} at the socket.`,
  )
  console.log(
    'CPU: of both processes. found: offered, sent and taken; waiting: sent and taken. Durable at both sides. queued: into real\nfrontiers, as a crawl does.\n',
  )
  if (values.only !== '') return
  await reportCodings(mixes)
  await reportSparing()
}

function trialsOf(name: string, links: readonly MixedLink[]): Trial[] {
  return [
    { name: `${name}, found`, links, pace: 'found' },
    { name: `${name}, found and queued`, links: links.map(ofJob), pace: 'found', isQueued: true },
    { name: `${name}, waiting`, links, pace: 'waiting' },
    {
      name: `${name}, queued, and who links`,
      links: links.map(ofJob),
      pace: 'found',
      isQueued: true,
      mentions: mentionsOf(links, mixedWeb(links.length, 'pages'), false),
    },
    {
      name: `${name}, queued, and who links with which words`,
      links: links.map(ofJob),
      pace: 'found',
      isQueued: true,
      mentions: mentionsOf(links, mixedWeb(links.length, 'pages'), true),
    },
  ]
}

/** In a frontier there are only links of jobs that it knows. */
function ofJob(link: MixedLink): MixedLink {
  return { ...link, jobId: frontierJobId }
}

/** A process of receivers for each: nobody remembers anything of the one before. */
async function measureTrial({ links, pace, isQueued, mentions = [] }: Trial): Promise<Result> {
  const child = fork(join(import.meta.dirname, 'exchange', 'receiving-peers.ts'), [
    String(receivers),
    isQueued ? 'frontiers' : 'kept',
  ])
  const [{ members }] = (await once(child, 'message')) as [{ members: RingMember[] }]
  const ring = new FixedRing(members)
  const folder = mkdtempSync(join(tmpdir(), 'polyhistor-bench-'))
  const network = await startNetwork({ listen: [] })
  const peer = await startRealPeer(network, ring, folder)
  try {
    const { exchange } = peer
    const offered = links.flatMap((link, index) => offersOf(link, mentions[index]))
    if (pace === 'waiting') await offerAll(exchange, offered)
    const cpuBefore = await cpuMs(child)
    const wireBefore = wireBytes()
    const startMs = performance.now()
    exchange.start()
    if (pace === 'found') await offerAll(exchange, offered)
    while (exchange.status().waiting.links > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const seconds = (performance.now() - startMs) / 1_000
    const { sent } = exchange.status()
    if (sent.links !== offered.length || sent.failures > 0)
      throw new Error(`not all was sent: ${JSON.stringify(sent)}`)
    return {
      links: links.length,
      payload: sent.bytes / links.length,
      socket: (wireBytes() - wireBefore) / links.length,
      jsonGzip: naiveBytes(ring, links, sent.batches) / links.length,
      perSecond: links.length / seconds,
      cpuMicros: (1_000 * ((await cpuMs(child)) - cpuBefore)) / links.length,
      linksPerBatch: links.length / sent.batches,
      lookupsPer1000: (1_000 * sent.lookups) / links.length,
    }
  } finally {
    await peer.close()
    await network.close()
    child.disconnect()
    rmSync(folder, { recursive: true })
  }
}

async function offerAll(exchange: Exchange, links: ForwardedLink[]): Promise<void> {
  let at = 0
  const page = async (): Promise<void> => {
    while (at < links.length) {
      const found = links.slice(at, at + linksPerPage)
      at += linksPerPage
      await exchange.offer(found)
    }
  }
  await Promise.all(Array.from({ length: pagesAtOnce }, page))
}

/** JSON lines with gzip, in as many batches. */
function naiveBytes(ring: FixedRing, links: readonly MixedLink[], batches: number): number {
  const perBatch = Math.ceil(links.length / batches)
  let bytes = 0
  for (const owned of byOwner(ring, links)) {
    for (let at = 0; at < owned.length; at += perBatch) bytes += jsonGzipBytes(owned.slice(at, at + perBatch))
  }
  return bytes
}

function byOwner(ring: FixedRing, links: readonly MixedLink[]): MixedLink[][] {
  const owned = Map.groupBy(links, ({ href }) => ring.ownerOf(parseUrl(href).ringKey).peer)
  return [...owned.values()]
}

function offersOf(link: MixedLink, mention: LinkMention | undefined): ForwardedLink[] {
  const forwarded = asForwarded(link)
  return mention === undefined ? [forwarded] : [forwarded, { ...mentionFacts, url: forwarded.url, mention }]
}

function asForwarded({ href, ...rest }: MixedLink): ForwardedLink {
  return { ...rest, url: parseUrl(href) }
}

/** Of this process and the child. */
async function cpuMs(child: ReturnType<typeof fork>): Promise<number> {
  child.send('figures')
  const [{ cpuMs: ofChild }] = (await once(child, 'message')) as [{ cpuMs: number }]
  const { user, system } = process.cpuUsage()
  return ofChild + (user + system) / 1_000
}

const sockets: Socket[] = []
subscribe('net.client.socket', (message) => sockets.push((message as { socket: Socket }).socket))

/** All that went through the sockets that we have opened, both ways. */
function wireBytes(): number {
  return sockets.reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0)
}

function rowOf(name: string, result: Result): string[] {
  return [
    name,
    result.links.toLocaleString('en'),
    result.payload.toFixed(1),
    result.socket.toFixed(1),
    result.jsonGzip.toFixed(1),
    `${(result.jsonGzip / result.payload).toFixed(1)}×`,
    Math.round(result.perSecond).toLocaleString('en'),
    result.cpuMicros.toFixed(0),
    result.linksPerBatch.toFixed(0),
    result.lookupsPer1000.toFixed(2),
  ]
}

async function reportSparing(): Promise<void> {
  const { pageBytes, lastVersionMicros, recentlySentMicros } = await measureSparing()
  console.log(
    `\nWhich links of a changed page of ${(pageBytes / 1_000).toFixed(1)} kB were sent before: ${lastVersionMicros.toFixed(0)} µs of CPU by its last version, ${recentlySentMicros.toFixed(0)} µs by what was sent lately.`,
  )
}

async function reportCodings(mixes: Record<string, readonly MixedLink[]>): Promise<void> {
  const ring = new FixedRing(
    Array.from({ length: receivers }, (_, index) => ({ peer: `peer ${index}`, addresses: [] })),
  )
  const rows: string[][] = []
  for (const [name, links] of Object.entries(mixes)) {
    const owned = byOwner(ring, links)
    for (const linksPerBatch of [10, 100, 1_000]) {
      const { jsonGzip, cold, warm } = await bytesPerLink(owned, linksPerBatch)
      rows.push([name, String(linksPerBatch), warm.toFixed(1), cold.toFixed(1), jsonGzip.toFixed(1)])
    }
  }
  console.log(
    printTable(['bytes of payload a link', 'links a batch', 'packed', 'without history', 'JSON+gzip'], rows),
  )
}
