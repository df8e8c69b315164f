// A web that watches its visitors: hosts with robots.txt, here or where it redirects to, crawl-delays, refusals with
// Retry-After and slow answers, and a log of every arrival, held against what each host asked for.
//
// Listens on loopback addresses in this process. Times are taken so that a breach is never an accident of this process
// being busy: an answer counts as ended when its end was asked for, an arrival as arrived when it was noticed.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PolitenessRules } from '../../src/crawl/politeness/politeness-rules.ts'

const kinds = ['plain', 'crawl-delay', 'refusing', 'slow', 'closed', 'redirecting'] as const
type HostKind = (typeof kinds)[number]

interface Exchange {
  readonly path: string
  readonly atMs: number
  endedAtMs: number
  /** What has to pass after its end before the next may come. */
  pauseMs: number
}

interface Host {
  readonly kind: HostKind
  readonly address: string
  readonly server: Server
  origin: string
  readonly exchanges: Exchange[]
  hasToldRobots: boolean
}

const crawlDelayMs = 150
const retryAfterMs = 1_000
const slowMs = 30
const requestsPerRefusal = 40
/** Where hosts that redirect have their rules. */
const rulesPath = '/rules.txt'
/** Clocks tell milliseconds; timers may fire within one. */
const granularityMs = 1.5

export class PoliteWeb {
  readonly #hosts: Host[] = []
  readonly #pages: number
  readonly #rules: PolitenessRules

  private constructor(pages: number, rules: PolitenessRules) {
    this.#pages = pages
    this.#rules = rules
  }

  /** Three hosts share each address. */
  static async start(hosts: number, pages: number, rules: PolitenessRules): Promise<PoliteWeb> {
    const web = new PoliteWeb(pages, rules)
    for (let number = 0; number < hosts; number++) await web.#addHost(number)
    return web
  }

  get starts(): string[] {
    return this.#hosts.map(({ origin }) => `${origin}/`)
  }

  get requests(): number {
    return this.#hosts.reduce((sum, { exchanges }) => sum + exchanges.length, 0)
  }

  /** Pages that may be fetched, by origin. */
  get allowed(): string[] {
    return this.#hosts.flatMap(({ kind, origin }) =>
      kind === 'closed' ? [] : Array.from({ length: this.#pages }, (_, page) => origin + pathOf(page)),
    )
  }

  /** Whatever came that should not have, a sentence each. */
  breaches(): string[] {
    return [...this.#hosts.flatMap((host) => this.#breachesOf(host)), ...this.#breachesOfAddresses()]
  }

  async stop(): Promise<void> {
    for (const { server } of this.#hosts) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }

  async #addHost(number: number): Promise<void> {
    const address = `127.0.2.${1 + Math.floor(number / 3)}`
    const server = createServer((request, response) => void this.#answer(host, request, response))
    const kind = kinds[number % kinds.length]!
    const host: Host = { kind, address, server, origin: '', exchanges: [], hasToldRobots: false }
    this.#hosts.push(host)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, address, resolve)
    })
    host.origin = `http://${address}:${(server.address() as AddressInfo).port}`
  }

  async #answer(host: Host, { url: path = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange: Exchange = {
      path,
      atMs: performance.now(),
      endedAtMs: Number.POSITIVE_INFINITY,
      pauseMs: 0,
    }
    host.exchanges.push(exchange)
    if (host.kind === 'slow') await sleep(slowMs)
    const isRefused = host.kind === 'refusing' && host.exchanges.length % requestsPerRefusal === 0
    const refusal = { 'Retry-After': retryAfterMs / 1_000 }
    if (path === '/robots.txt') host.hasToldRobots = true
    exchange.endedAtMs = performance.now()
    exchange.pauseMs = Math.max(this.#pauseMs(host, exchange), isRefused ? retryAfterMs : 0)
    if (isRefused) response.writeHead(429, refusal).end()
    else if (host.kind === 'redirecting' && path === '/robots.txt')
      response.writeHead(301, { Location: rulesPath }).end()
    else if (path === '/robots.txt' || path === rulesPath)
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end(robotsOf(host.kind))
    else response.writeHead(200, { 'Content-Type': 'text/html' }).end(this.#page(host, path))
  }

  #pauseMs({ kind, hasToldRobots }: Host, { atMs, endedAtMs }: Exchange): number {
    const { delayFactor, delayMsMin, delayMsMax } = this.#rules
    const ownMs = Math.min(delayMsMax, Math.max(delayMsMin, delayFactor * (endedAtMs - atMs)))
    return kind === 'crawl-delay' && hasToldRobots ? Math.max(ownMs, crawlDelayMs) : ownMs
  }

  #page({ origin }: Host, path: string): string {
    const page = path === '/' ? 0 : Number(/\d+/.exec(path)?.[0] ?? 0)
    const next = [2 * page + 1, 2 * page + 2].filter((number) => number < this.#pages).map(pathOf)
    const links = [...next, `/private/${page}`, `/private/open?${page % 2}`]
    return `<title>${origin}${path}</title>${links.map((link) => `<a href="${link}">x</a>`).join('')}`
  }

  #breachesOf({ kind, origin, exchanges }: Host): string[] {
    const breaches: string[] = []
    for (const { path } of exchanges) {
      const isPrivate = path.startsWith('/private/') && !path.startsWith('/private/open')
      if (isPrivate || (kind === 'closed' && path !== '/robots.txt'))
        breaches.push(`${origin}${path} is disallowed`)
    }
    if (exchanges.length > 0 && exchanges[0]!.path !== '/robots.txt')
      breaches.push(`${origin}: robots.txt was not first`)
    for (const [place, later] of exchanges.entries()) {
      const earlier = exchanges[place - 1]
      const earlyMs = earlier === undefined ? 0 : earlier.endedAtMs + earlier.pauseMs - later.atMs
      if (earlyMs > granularityMs)
        breaches.push(`${origin}${later.path} (${kind}) came ${earlyMs.toFixed(1)} ms early`)
    }
    return breaches
  }

  #breachesOfAddresses(): string[] {
    const byAddress = Map.groupBy(this.#hosts, ({ address }) => address)
    return [...byAddress].flatMap(([address, hosts]) => this.#breachesOfAddress(address, hosts))
  }

  #breachesOfAddress(address: string, hosts: readonly Host[]): string[] {
    const { perAddressMax, addressDelayMs } = this.#rules
    const all = hosts.flatMap(({ exchanges }) => exchanges).sort((left, right) => left.atMs - right.atMs)
    const breaches: string[] = []
    for (const [place, { atMs, path }] of all.entries()) {
      // A request occupies its place from its arrival until a pause after its end. Whoever set out while another was
      // being answered may arrive just after its end, but then that other was one of those under way.
      const occupied = all
        .slice(Math.max(0, place - 2 * perAddressMax - 8), place)
        .filter(({ endedAtMs }) => endedAtMs + addressDelayMs > atMs + granularityMs)
      if (occupied.length >= perAddressMax)
        breaches.push(`${address}${path} came while ${occupied.length} places of ${perAddressMax} were taken`)
    }
    return breaches
  }
}

function pathOf(page: number): string {
  return page === 0 ? '/' : `/page-${page}`
}

function robotsOf(kind: HostKind): string {
  if (kind === 'closed') return 'User-agent: *\nDisallow: /\n'
  const delay = kind === 'crawl-delay' ? `Crawl-delay: ${crawlDelayMs / 1_000}\n` : ''
  return `User-agent: *\n${delay}Disallow: /private/\nAllow: /private/open\n`
}
