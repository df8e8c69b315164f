// The web that simulated peers crawl: sites with names, addresses and pages, each request taking its time, and a log of who asked
// what and when, which judges politeness.
//
// Leaves out: TLS, HTTP/2, connections. A request is answered whole or fails with the code that a real one would.

import assert from 'node:assert/strict'
import type { Url } from '../../src/model/url/url.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { Web, WebAnswer, WebRequest } from '../../src/platform/network/web.ts'
import { webFailure } from '../../src/platform/real/web/failure.ts'
import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'

export interface OriginPage {
  readonly status?: number
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** undefined: 404. `peer`: who asks, for sites that tell one this and another that. */
export type OriginSite = (path: string, peer: string) => OriginPage | undefined

/** One request as the server saw it. */
export interface Arrival {
  readonly peer: string
  readonly host: string
  readonly path: string
  readonly startMs: number
  endMs: number | undefined
  /** Whether a connection had to be opened first. Only where there is a geography. */
  readonly isFirst?: boolean | undefined
  /** What the server itself took. */
  readonly serverMs: number
}

export interface OriginOptions {
  /** How long a response takes. */
  readonly responseMsMin: number
  readonly responseMsMax: number
  /** Where machines and servers are; all in one place unless told. */
  readonly geography?: Geography | undefined
}

/** How far everybody is from every server. */
export interface Geography {
  /** There and back, each time a little different. */
  roundTripMs(machine: string, host: string): number
  addressOf(host: string): string
}

const optionsDefault: OriginOptions = { responseMsMin: 20, responseMsMax: 200 }
const noHostMs = 5
/** So long an idle connection stays open. */
const keepAliveMs = 10_000
const statusTexts: Record<number, string> = { 200: 'OK', 304: 'Not Modified', 404: 'Not Found' }

export class OriginWeb {
  readonly arrivals: Arrival[] = []
  /** Of servers that do not answer. */
  readonly down = new Set<string>()
  readonly #sites = new Map<string, OriginSite>()
  readonly #clock: Clock
  readonly #random: SimulatedRandom
  readonly #options: OriginOptions
  /** Until when the connections of machines to hosts are open. */
  readonly #openUntilMs = new Map<string, number>()

  /** `clock`: of nobody's machine. */
  constructor(needs: { clock: Clock; random: SimulatedRandom }, options: Partial<OriginOptions> = {}) {
    this.#clock = needs.clock
    this.#random = needs.random
    this.#options = { ...optionsDefault, ...options }
  }

  /** The server of this name, from now on. */
  serve(host: string, site: OriginSite): void {
    this.#sites.set(host, site)
  }

  /** The web as one process sees it; `clock` is that of its machine, and ends with it. */
  seenBy(peer: string, clock: Clock): Web {
    const closing = new AbortController()
    return {
      fetch: (request, signal) => {
        const signals = [closing.signal, ...(signal ? [signal] : [])]
        return this.#fetch(peer, clock, request, AbortSignal.any(signals))
      },
      close: async () => closing.abort(new Error('The web was closed')),
    }
  }

  /** The connections of a process that ends are closed. */
  hangUp(peer: string): void {
    for (const arrival of this.arrivals)
      if (arrival.peer === peer) arrival.endMs ??= this.#clock.monotonicMs()
  }

  /** Fails where a host was asked by two at once, or sooner than `delayMs` after it had answered. */
  checkPoliteness(delayMs: number): void {
    const last = new Map<string, Arrival>()
    for (const arrival of this.arrivals) {
      const before = last.get(arrival.host)
      last.set(arrival.host, arrival)
      if (before === undefined) continue
      const told = `${arrival.peer} asked ${arrival.host}${arrival.path} at ${arrival.startMs}, ${before.peer} ${before.path} from ${before.startMs} to ${before.endMs}`
      assert(before.endMs !== undefined && before.endMs <= arrival.startMs, `two at once: ${told}`)
      assert(arrival.startMs - before.endMs >= delayMs, `too soon: ${told}`)
    }
  }

  async #fetch(
    peer: string,
    clock: Clock,
    { url, headers, allow }: WebRequest,
    signal: AbortSignal,
  ): Promise<WebAnswer> {
    signal.throwIfAborted()
    const startMs = clock.monotonicMs()
    const { host, target } = url
    const site = this.#sites.get(host)
    if (site === undefined) {
      await clock.sleep(noHostMs, signal)
      return webFailure('dns-not-found', `${host} has no address`)
    }
    const address = this.#addressOf(host)
    const refusal = allow.refusal(address)
    if (refusal !== undefined) return webFailure('address-forbidden', refusal)
    if (this.down.has(host)) {
      await clock.sleep(noHostMs, signal)
      return webFailure('connect-refused', `${host} takes no connections`, address)
    }
    const connectMs = await this.#connect(peer, clock, host, signal)
    const sentMs = clock.monotonicMs()
    await this.#serve(peer, clock, url, connectMs !== undefined, signal)
    this.#openUntilMs.set(`${peer} ${host}`, this.#clock.monotonicMs() + keepAliveMs)
    const endMs = clock.monotonicMs()
    const {
      status = 200,
      headers: sent = [],
      body,
    } = site(target, peer) ?? { status: 404, body: 'Not found' }
    const bytes = new Uint8Array(Buffer.from(body))
    const head = headOf(`HTTP/1.1 ${status} ${statusTexts[status] ?? 'Status'}`, [
      ['Content-Type', 'text/html; charset=utf-8'],
      ['Content-Length', String(bytes.length)],
      ...sent,
    ])
    return {
      outcome: 'response',
      status,
      head,
      body: { kind: 'memory', length: bytes.length, parts: [bytes] },
      truncated: undefined,
      request: headOf(`GET ${target} HTTP/1.1`, [['Host', url.authority], ...headers]),
      address,
      protocols: ['http/1.1'],
      tlsProblem: undefined,
      timing: { startMs, sentMs, connectMs, headMs: endMs, endMs },
    }
  }

  /** Gives what that took; undefined where a connection was open, or nothing is known of distances. */
  async #connect(peer: string, clock: Clock, host: string, signal: AbortSignal): Promise<number | undefined> {
    const { geography } = this.#options
    const isOpen = (this.#openUntilMs.get(`${peer} ${host}`) ?? 0) >= this.#clock.monotonicMs()
    if (geography === undefined || isOpen) return undefined
    const connectMs = geography.roundTripMs(peer, host)
    await clock.sleep(connectMs, signal)
    return connectMs
  }

  /** The server is done when it is done, also with somebody who is not there to hear it. */
  async #serve(
    peer: string,
    clock: Clock,
    { host, target: path }: Url,
    isFirst: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const { responseMsMin, responseMsMax } = this.#options
    const startMs = this.#clock.monotonicMs()
    const serverMs = this.#random.between(responseMsMin, responseMsMax)
    const arrival: Arrival = { peer, host, path, startMs, endMs: undefined, isFirst, serverMs }
    const end = (): void => {
      arrival.endMs ??= this.#clock.monotonicMs()
    }
    const responseMs = serverMs + (this.#options.geography?.roundTripMs(peer, host) ?? 0)
    this.arrivals.push(arrival)
    this.#clock.after(responseMs, end)
    signal.addEventListener('abort', end, { once: true })
    try {
      await clock.sleep(responseMs, signal)
    } finally {
      signal.removeEventListener('abort', end)
    }
  }

  /** One for each host, in a range that is anybody's. */
  #addressOf(host: string): string {
    const { geography } = this.#options
    if (geography !== undefined) return geography.addressOf(host)
    const number = [...this.#sites.keys()].indexOf(host)
    return `93.184.${Math.floor(number / 250)}.${(number % 250) + 1}`
  }
}

function headOf(firstLine: string, fields: readonly (readonly [string, string])[]): Uint8Array {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
  return new Uint8Array(Buffer.from(`${firstLine}\r\n${lines.join('')}\r\n`, 'latin1'))
}
