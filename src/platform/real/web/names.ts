// Names of hosts to addresses, by DNS.
//
// Asks with c-ares (node:dns Resolver), not getaddrinfo: that would hold threads which disk and compression need too,
// and does not tell how long an answer is valid. getaddrinfo is asked only for what DNS does not know, for the sake of
// hosts files and mDNS, at most systemLookupsMax at a time (further ones wait for their turn); not at all when servers are given.
// Answers are kept as long as they say, within bounds. `localhost` and what is below it is loopback (RFC 6761).
// Invariant: every table is bounded. Judges no address: whoever connects does.

import { lookup, Resolver } from 'node:dns/promises'
import { LruCache } from '../../../model/lru-cache.ts'
import type { Clock } from '../../clock.ts'
import type { WebFailure } from '../../network/web.ts'
import { webFailure } from './failure.ts'

export interface NamesOptions {
  /** `address` or `address:port`. Those of the operating system when not given. */
  readonly servers?: readonly string[] | undefined
  /** For one try of one question; later tries wait longer. */
  readonly tryMsMax: number
  readonly tries: number
  readonly keptMsMin: number
  readonly keptMsMax: number
  readonly keptMax: number
}

const namesDefaults: NamesOptions = {
  tryMsMax: 3_000,
  tries: 2,
  keptMsMin: 30_000,
  keptMsMax: 3_600_000,
  keptMax: 10_000,
}

export const systemLookupsMax = 2
const secondFamilyMsMax = 250

/** Addresses, IPv4 first: more networks can reach those. */
type NameAnswer = readonly string[] | WebFailure

/** The operating system's resolver. Rejects when it knows no address. */
type SystemLookup = (host: string) => Promise<readonly string[]>

const getaddrinfo: SystemLookup = async (host) =>
  (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address)

interface Kept {
  readonly answer: Promise<NameAnswer>
  untilMs: number
}

interface Found {
  readonly addresses: readonly string[]
  readonly validMs: number
}

export class Names {
  readonly #clock: Clock
  readonly #options: NamesOptions
  readonly #resolver: Resolver
  readonly #systemLookup: SystemLookup | undefined
  /** In the order of last use. */
  readonly #kept: LruCache<string, Kept>
  #systemLookups = 0
  /** Lookups that wait for their turn. As many as names are being resolved, which the crawler bounds. */
  readonly #systemQueue: (() => void)[] = []

  constructor(
    needs: { clock: Clock; systemLookup?: SystemLookup | undefined },
    options: Partial<NamesOptions> = {},
  ) {
    this.#clock = needs.clock
    this.#options = { ...namesDefaults, ...options }
    this.#kept = new LruCache({ max: this.#options.keptMax })
    const usesSystem = this.#options.servers === undefined
    this.#systemLookup = needs.systemLookup ?? (usesSystem ? getaddrinfo : undefined)
    this.#resolver = new Resolver({ timeout: this.#options.tryMsMax, tries: this.#options.tries })
    if (this.#options.servers !== undefined) this.#resolver.setServers(this.#options.servers)
  }

  resolve(host: string): Promise<NameAnswer> {
    if (host === 'localhost' || host.endsWith('.localhost')) return Promise.resolve(['127.0.0.1', '::1'])
    const known = this.#kept.get(host)
    const kept = known !== undefined && known.untilMs > this.#clock.monotonicMs() ? known : this.#ask(host)
    this.#kept.set(host, kept)
    return kept.answer
  }

  close(): void {
    this.#resolver.cancel()
    this.#kept.clear()
  }

  #ask(host: string): Kept {
    // Until it is answered, all who ask wait for the same answer.
    const kept: Kept = {
      answer: this.#answer(host, (validMs) => this.#keep(kept, validMs)),
      untilMs: Infinity,
    }
    return kept
  }

  #keep(kept: Kept, validMs: number): void {
    const { keptMsMin, keptMsMax } = this.#options
    kept.untilMs = this.#clock.monotonicMs() + Math.min(Math.max(validMs, keptMsMin), keptMsMax)
  }

  async #answer(host: string, keepFor: (validMs: number) => void): Promise<NameAnswer> {
    const [ipv4, ipv6] = await this.#queryBoth(host)
    const found = [ipv4, ipv6].filter((result): result is Found => !(result instanceof Error))
    const addresses = found.flatMap((result) => result.addresses)
    keepFor(
      Math.min(
        ...found.filter((result) => result.addresses.length > 0).map((result) => result.validMs),
        Infinity,
      ),
    )
    if (addresses.length > 0) return addresses
    const system = await this.#askSystem(host)
    // What could not be found may be there soon.
    if (system.length === 0) keepFor(0)
    return system.length > 0 ? system : failureOf(host, ipv4, ipv6)
  }

  /** Some servers do not answer for IPv6 at all: what is known of IPv4 does not wait for them long. */
  async #queryBoth(host: string): Promise<[Found | Error, Found | Error]> {
    const [first, second] = [this.#query(host, 4), this.#query(host, 6)]
    const ipv4 = await first
    if (ipv4 instanceof Error) return [ipv4, await second]
    const ipv6 = await new Promise<Found | Error>((resolve) => {
      const timer = this.#clock.after(secondFamilyMsMax, () => resolve(new Error('no answer in time')))
      second.then((answer) => {
        timer.cancel()
        resolve(answer)
      })
    })
    return [ipv4, ipv6]
  }

  async #query(host: string, family: 4 | 6): Promise<Found | Error> {
    try {
      const records = await (family === 4
        ? this.#resolver.resolve4(host, { ttl: true })
        : this.#resolver.resolve6(host, { ttl: true }))
      const validMs = 1_000 * Math.min(...records.map(({ ttl }) => ttl))
      return { addresses: records.map(({ address }) => address), validMs }
    } catch (error) {
      return error as Error
    }
  }

  async #askSystem(host: string): Promise<readonly string[]> {
    if (this.#systemLookup === undefined) return []
    if (this.#systemLookups < systemLookupsMax) this.#systemLookups++
    // Whoever is done passes its place on, so the count stays.
    else await new Promise<void>((resolve) => this.#systemQueue.push(resolve))
    try {
      return await this.#systemLookup(host)
    } catch {
      // DNS has said already what to tell.
      return []
    } finally {
      const next = this.#systemQueue.shift()
      if (next === undefined) this.#systemLookups--
      else next()
    }
  }
}

function failureOf(host: string, ...results: (Found | Error)[]): WebFailure {
  const codes = results.map((result) =>
    result instanceof Error ? ((result as NodeJS.ErrnoException).code ?? '') : '',
  )
  const unknown = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')
  if (unknown) return webFailure('dns-not-found', `${host} has no address`)
  const code = codes.find((each) => each !== 'ENOTFOUND' && each !== 'ENODATA' && each !== '')
  return webFailure('dns-failed', `${host} could not be resolved (${code ?? 'no answer'})`)
}
