// Robots.txt of every origin that is crawled: fetched when due, kept with its site, asked before each fetch.
//
// Fetching one is a request to the host like any other, so it counts for politeness: the caller gives its lease back and
// comes again when the host may be asked. What comes is archived too: the rules of the day are part of the record.

import { parseUrl, type Url } from '../../record/url.ts'
import type { AddressRule } from '../../world/web.ts'
import { decodeContent } from '../fetch/content-decoding.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import { fetchFollowing } from '../fetch/following.ts'
import { robotsLimits } from '../fetch/limits.ts'
import type { Fetched, FetchOutcome } from '../fetch/outcome.ts'
import { retryAfterMs } from '../politeness/retry-after.ts'
import type { Archive } from '../visit/archive.ts'
import {
  isRobotsDue,
  type RobotsAnswer,
  type RobotsState,
  robotsAfter,
  robotsRulesOf,
  robotsVerdict,
} from './robots-policy.ts'
import type { RobotsRules, RobotsVerdict } from './robots-rules.ts'

/** Where states are kept: with their site, so that they move with it. */
export interface RobotsNotes {
  note(url: Url, name: string): Uint8Array | undefined
  putNote(url: Url, name: string, bytes: Uint8Array | undefined): void
}

interface Known {
  state: RobotsState
  rules: RobotsRules
}

const originsMax = 10_000
/** As Heritrix marks what is fetched before a page may be. */
const prerequisite = ['hopsFromSeed', 'P'] as const

export class RobotsKeeping {
  readonly #notes: RobotsNotes
  readonly #fetcher: Fetcher
  readonly #archive: Archive
  readonly #agent: string
  readonly #known = new Map<string, Known>()

  constructor(needs: { notes: RobotsNotes; fetcher: Fetcher; archive: Archive }, agent: string) {
    this.#notes = needs.notes
    this.#fetcher = needs.fetcher
    this.#archive = needs.archive
    this.#agent = agent
  }

  isDue(url: Url, nowMs: number): boolean {
    return isRobotsDue(this.#of(url)?.state, nowMs)
  }

  /** Only when it is not due. */
  verdict(url: Url, nowMs: number): RobotsVerdict {
    const { state, rules } = this.#of(url)!
    return robotsVerdict(state, rules, url.target, nowMs)
  }

  crawlDelayMs(url: Url): number {
    return this.#of(url)?.rules.crawlDelayMs ?? 0
  }

  sitemaps(url: Url): readonly string[] {
    return this.#of(url)?.rules.sitemaps ?? []
  }

  /** Asks the origin, following redirects. Gives the last answer, for politeness. `allow` is asked about the addresses of
   * the origin's own host; others, where redirects lead, have the fetcher's rule alone. */
  async renew(
    url: Url,
    nowMs: () => number,
    { allow, signal }: { allow?: AddressRule; signal?: AbortSignal } = {},
  ): Promise<FetchOutcome> {
    const fetch = (step: Url) =>
      this.#fetcher.fetch(step, {
        limits: robotsLimits,
        signal,
        ...(allow && step.authority === url.authority && { allow }),
      })
    const { hops, last } = await fetchFollowing(fetch, parseUrl('/robots.txt', url.origin))
    const answers = last.kind === 'failed' ? hops : [...hops, last]
    try {
      for (const { capture } of answers) {
        await this.#archive.keep({ ...capture, metadata: [prerequisite, ...capture.metadata] })
      }
      // Nobody was asked: that says nothing about the site.
      if (last.kind === 'failed' && last.code === 'address-forbidden') return last
      this.#put(url, robotsAfter(this.#of(url)?.state, await meaningOf(last, nowMs()), nowMs()))
      return last
    } finally {
      for (const answer of answers) await answer.discard()
    }
  }

  #of(url: Url): Known | undefined {
    const known = this.#known.get(url.origin)
    if (known !== undefined) return known
    const bytes = this.#notes.note(url, noteName(url))
    if (bytes === undefined) return undefined
    return this.#remember(url, JSON.parse(Buffer.from(bytes).toString()) as RobotsState)
  }

  #put(url: Url, state: RobotsState): void {
    this.#notes.putNote(url, noteName(url), Buffer.from(JSON.stringify(state)))
    this.#remember(url, state)
  }

  #remember(url: Url, state: RobotsState): Known {
    const known = { state, rules: robotsRulesOf(state, this.#agent) }
    this.#known.delete(url.origin)
    this.#known.set(url.origin, known)
    const oldest = this.#known.keys().next()
    if (this.#known.size > originsMax && !oldest.done) this.#known.delete(oldest.value)
    return known
  }
}

function noteName(url: Url): string {
  return `robots ${url.origin}`
}

const astray = new Set(['redirect-loop', 'too-many-redirects', 'bad-location'])

async function meaningOf(last: FetchOutcome, nowMs: number): Promise<RobotsAnswer> {
  if (last.kind === 'failed') {
    if (astray.has(last.code)) return { kind: 'astray' }
    return { kind: 'unreachable', reason: `${last.code}: ${last.reason}` }
  }
  const retryAfter = last.headers.get('Retry-After')
  return {
    kind: 'response',
    status: last.status,
    body: await bytesOf(last),
    cacheControl: last.headers.get('Cache-Control'),
    retryAfterMs: retryAfter === undefined ? undefined : retryAfterMs(retryAfter, nowMs),
  }
}

async function bytesOf(fetched: Fetched): Promise<Uint8Array> {
  const { headers } = fetched
  return (await decodeContent(fetched.body(), headers.get('Content-Encoding'), robotsLimits.bodyBytesMax))
    .bytes
}
