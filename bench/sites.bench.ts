// `npm run bench -- sites [pages per second] [seconds]`: what it costs to keep the frontier of a crawl with other peers. A crawl
// at an even pace, alone and with one and two members that keep its sites; real indexes on a real disk, and calls that
// cost nothing. All peers are in one process: processor time is that of the lease holder and of its members together.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LeasePlaces, openSiteLeases, type SiteLeases } from '../src/app/network/site-leases.ts'
import type { Link } from '../src/crawl/frontier/discovery.ts'
import { Frontier } from '../src/crawl/frontier/frontier.ts'
import { politenessOff } from '../src/crawl/politeness/politeness-rules.ts'
import type { RingKey } from '../src/model/ring-key.ts'
import { parseUrl, type Url } from '../src/model/url/url.ts'
import type { CallService } from '../src/platform/calls/call-services.ts'
import type { CallHandler } from '../src/platform/calls/calls.ts'
import { silentLog } from '../src/platform/log.ts'
import type { PeerId } from '../src/platform/network/network.ts'
import { RealClock } from '../src/platform/real/clock.ts'
import { localWorld } from '../src/platform/real/local-world.ts'
import { printTable } from './measure.ts'

const sites = 100
const linksPerPage = 36
const pagesAtOnce = 10
const messageBytesMax = 4 * 1024 * 1024
const job = { seeds: ['https://www.site-0.example/'], scope: 'any', budgets: {} } as const

export async function run(words: string[]): Promise<void> {
  const [pagesPerSecond = 300, seconds = 20] = words.map(Number)
  const rows: string[][] = []
  let aloneMs = 0
  for (const members of [0, 1, 2]) {
    const { cpuMs, bytes } = await crawlWith(members, pagesPerSecond, seconds)
    if (members === 0) aloneMs = cpuMs
    const name = members === 0 ? 'alone' : `with ${members} more`
    rows.push([name, (1e3 * cpuMs).toFixed(0), (1e3 * (cpuMs - aloneMs)).toFixed(0), bytes.toFixed(0)])
  }
  const head = [
    `${pagesPerSecond} pages/s for ${seconds} s`,
    'µs a page',
    'more than alone',
    'bytes sent a page',
  ]
  console.log(printTable(head, rows))
}

async function crawlWith(members: number, pagesPerSecond: number, seconds: number): Promise<Cost> {
  const folder = await mkdtemp(join(tmpdir(), 'sites-bench-'))
  try {
    return await new Bench(folder, members).run(pagesPerSecond, seconds)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Cost {
  /** Of a page. */
  readonly cpuMs: number
  readonly bytes: number
}

class Bench {
  readonly #folder: string
  readonly #names: PeerId[]
  readonly #handlers = new Map<PeerId, CallHandler>()
  readonly #closing: (() => Promise<void>)[] = []
  #fresh = 0

  constructor(folder: string, members: number) {
    this.#folder = folder
    this.#names = Array.from({ length: members + 1 }, (_, number) => `peer ${number}`)
  }

  async run(pagesPerSecond: number, seconds: number): Promise<Cost> {
    const [holder, ...others] = this.#names as [PeerId, ...PeerId[]]
    for (const name of others) await this.#open(name)
    const { frontier, leases } = await this.#open(holder, others.length > 0)
    const { id } = frontier.jobs.join(job)
    await this.#fill(frontier, leases, id)
    const sentBefore = leases?.status().bytesSent ?? 0
    const start = process.cpuUsage()
    const clock = new RealClock()
    for (let second = 0; second < seconds * 10; second++) {
      const dueMs = clock.monotonicMs() + 100
      for (let page = 0; page < pagesPerSecond / 10; page++) await this.#visit(frontier)
      await clock.sleep(Math.max(0, dueMs - clock.monotonicMs()))
    }
    await leases?.waitUntilSafe()
    const { user, system } = process.cpuUsage(start)
    const pages = pagesPerSecond * seconds
    const bytes = (leases?.status().bytesSent ?? 0) - sentBefore
    for (const close of this.#closing.toReversed()) await close()
    return { cpuMs: (user + system) / 1e3 / pages, bytes: bytes / pages }
  }

  async #open(
    name: PeerId,
    isShared = true,
  ): Promise<{ frontier: Frontier; leases: SiteLeases | undefined }> {
    const { clock, random, keyValues } = localWorld()
    const open = async (what: string, hasJournal: boolean) => {
      const map = await keyValues.open(join(this.#folder, name, what), { hasJournal })
      this.#closing.push(() => map.close())
      return map
    }
    const frontier = new Frontier(
      { keyValue: await open('frontier', false), clock, random },
      { politeness: politenessOff },
    )
    this.#closing.push(() => frontier.flush())
    if (!isShared) return { frontier, leases: undefined }
    const leases = openSiteLeases({
      frontier,
      calls: this.#calls(name),
      places: this.#places(name),
      leases: await open('stewards', true),
      replicas: await open('shadows', true),
      clock,
      random,
      log: silentLog,
    })
    this.#closing.push(() => leases.close())
    return { frontier, leases }
  }

  /** The first owns all. */
  #places(self: PeerId): LeasePlaces {
    const [owner] = this.#names as [PeerId]
    return {
      self,
      isOwner: () => self === owner,
      replicaSet: () => (self === owner ? this.#names : undefined),
      fullSet: () => this.#names,
      isGone: () => false,
      onChange: () => () => {},
      owners: { ownerOf: async () => ({ peer: owner, upTo: 'f'.repeat(40) as RingKey, addresses: [] }) },
    }
  }

  #calls(self: PeerId): CallService {
    return {
      bytesMax: messageBytesMax,
      call: async (peer, pieces) => {
        const bytes = pieces instanceof Uint8Array ? pieces : Buffer.concat(pieces)
        await new Promise((resolve) => setImmediate(resolve))
        return this.#handlers.get(peer)!(self, bytes, { signal: new AbortController().signal } as never)
      },
      answer: (handler) => void this.#handlers.set(self, handler),
    }
  }

  async #fill(frontier: Frontier, leases: SiteLeases | undefined, jobId: string): Promise<void> {
    const fillSite = async (site: number): Promise<void> => {
      const urls = Array.from({ length: 300 }, () => this.#url(site))
      await leases?.waitUntilReady(urls[0]!.ringKey)
      await frontier.add(urls.map((url) => ({ url, kind: 'navigation', jobId, depth: 1, via: '' })))
      await leases?.waitUntilSafe([urls[0]!.ringKey])
    }
    await Promise.all(Array.from({ length: sites }, (_, site) => fillSite(site)))
    await frontier.flush()
  }

  #url(site: number): Url {
    const number = this.#fresh++
    const [year, day] = [2000 + (number % 25), number % 365]
    return parseUrl(
      `https://www.site-${site}.example/section-${number % 7}/${year}/${day}/story-${number}.html`,
    )
  }

  /** As many new links as pages are done; the others are known. */
  async #visit(frontier: Frontier): Promise<void> {
    const answer = await frontier.nextTask()
    if (answer.kind !== 'task') throw new Error(`no lease: ${answer.kind}`)
    const { task } = answer
    const site = Number(/site-(\d+)/.exec(task.url.host)![1])
    const links: Link[] = Array.from({ length: linksPerPage }, (_, index) => ({
      url: index === 0 ? this.#url(site) : task.url,
      kind: 'navigation',
    }))
    const result = { outcome: 'fetched', status: 200, bytes: 10_000, responseMs: 50 } as const
    frontier.visits.visited(task.url, { atMs: frontier.nowMs(), outcome: 'new' })
    frontier.answered(task, result)
    await frontier.complete(task, result, links)
    if (task.id % pagesAtOnce === 0) await frontier.committed()
  }
}
