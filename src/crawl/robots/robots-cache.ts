// Robots.txt of every origin that is crawled: fetched when due, kept with its site, asked before each fetch.
//
// Fetching one is a request to the host like any other, so it counts for politeness: the caller gives its task back and
// comes again when the host may be asked. So does each redirect on the way, be it to the same host or another: it waits for
// that host's turn. What comes is archived too: the rules of the day are part of the record.

import { type DecodedContent, decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { LruCache } from '../../model/lru-cache.ts'
import { parseUrl, type Url } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AddressRule } from '../../platform/network/web.ts'
import { fetchResultOf } from '../fetch/fetch-result.ts'
import type { Fetcher } from '../fetch/fetcher.ts'
import { fetchFollowing } from '../fetch/following.ts'
import { robotsLimits } from '../fetch/limits.ts'
import type { Fetched, FetchFailure, FetchOutcome } from '../fetch/outcome.ts'
import type { FetchResult } from '../frontier/fetch-task.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import { type HostTurns, waitForTurn } from '../politeness/host-turns.ts'
import { retryAfterMs } from '../politeness/retry-after.ts'
import type { Archive, UntilOthers } from '../visit/archive.ts'
import {
  isRobotsDue,
  type RobotsAnswer,
  type RobotsState,
  robotsAfter,
  robotsRulesOf,
  robotsStance,
  robotsStateIn,
  robotsVerdict,
} from './robots-policy.ts'
import type { RobotsRules, RobotsVerdict } from './robots-rules.ts'

/** Where states are kept: with their site, so that they move with it. */
interface RobotsNotes {
  get(url: Url, name: string): Uint8Array | undefined
  put(url: Url, name: string, bytes: Uint8Array | undefined): void
}

interface Needs {
  notes: RobotsNotes
  pace: HostTurns
  fetcher: Fetcher
  archive: Archive
  clock: Clock
}

interface Asking {
  /** Asked about the addresses of the origin's own host; others, where redirects lead, have the fetcher's rule alone. */
  readonly allow?: AddressRule
  readonly signal?: AbortSignal
  /** Told of what is waited for that others do. */
  readonly untilOthers?: UntilOthers
}

interface RobotsRenewal {
  readonly answer: FetchOutcome
  /** Whether it is the origin's own host that answered, or failed to. What it answered before is counted already. */
  readonly isOfOwnHost: boolean
}

interface Known {
  state: RobotsState
  rules: RobotsRules
}

const originsMax = 10_000
/** A redirect to a host that is to be left alone for longer than this is not followed now. */
const turnMsMax = 5 * 60_000
/** As Heritrix marks what is fetched before a page may be. */
const prerequisite = ['hopsFromSeed', 'P'] as const

export class RobotsCache {
  readonly #needs: Needs
  readonly #agent: string
  readonly #known = new LruCache<string, Known>({ max: originsMax })

  constructor(needs: Needs, agent: string) {
    this.#needs = needs
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

  /** Neither rules nor the word that there are none: nothing is allowed until it answers. */
  isUnreachable(url: Url, nowMs: number): boolean {
    const known = this.#of(url)
    return known !== undefined && robotsStance(known.state, nowMs) === 'disallow-all'
  }

  /** Why it is not reachable. */
  troubleOf(url: Url): MissedReason {
    const { trouble = 'it did not answer', troubleCode: code } = this.#of(url)?.state ?? {}
    return { code: code ?? 'robots-unreachable', reason: `robots.txt could not be read: ${trouble}` }
  }

  /** When it is to be asked for again. */
  dueAtMs(url: Url): number {
    return this.#of(url)?.state.dueAtMs ?? 0
  }

  crawlDelayMs(url: Url): number {
    return this.#of(url)?.rules.crawlDelayMs ?? 0
  }

  /** As it was read; undefined where there are no rules. */
  copyOf(url: Url): Uint8Array | undefined {
    const state = this.#of(url)?.state
    return state?.basis === 'rules' ? Buffer.from(state.copy, 'latin1') : undefined
  }

  sitemaps(url: Url): readonly string[] {
    return this.#of(url)?.rules.sitemaps ?? []
  }

  /** Asks the origin, following redirects. Gives the last answer. */
  async renew(url: Url, asking: Asking = {}): Promise<RobotsRenewal> {
    const { archive, pace } = this.#needs
    let before: Fetched | undefined
    let isOfOwnHost = true
    const fetch = async (step: Url): Promise<FetchOutcome> => {
      isOfOwnHost = step.authority === url.authority
      const outcome = await this.#fetchStep(url, step, before, asking)
      if (outcome.kind !== 'failed') before = outcome
      return outcome
    }
    const { hops, last } = await fetchFollowing(fetch, parseUrl('/robots.txt', url.origin))
    const answers = last.kind === 'failed' ? hops : [...hops, last]
    try {
      for (const { capture } of answers) {
        const marked = { ...capture, metadata: [prerequisite, ...capture.metadata] }
        await archive.keep(marked, undefined, asking.untilOthers)
      }
      // Nobody was asked: that says nothing about the site.
      if (last.kind === 'failed' && last.code === 'address-forbidden' && hops.length === 0)
        return { answer: last, isOfOwnHost }
      const nowMs = pace.nowMs()
      this.#put(url, robotsAfter(this.#of(url)?.state, await meaningOf(last, nowMs), nowMs))
      return { answer: last, isOfOwnHost }
    } finally {
      for (const answer of answers) await answer.discard()
    }
  }

  async #fetchStep(own: Url, step: Url, before: Fetched | undefined, asking: Asking): Promise<FetchOutcome> {
    const { fetcher, pace } = this.#needs
    const { allow, signal } = asking
    const isOwnHost = step.authority === own.authority
    if (before?.capture.url.authority === own.authority) pace.asked(own, this.#resultOf(before))
    const turn = { url: step, hasTurn: isOwnHost, waitMsMax: turnMsMax }
    if (before !== undefined && !(await waitForTurn(this.#needs, turn, signal))) return this.#outOfTurn(step)
    let result: FetchResult | undefined
    try {
      const limits = robotsLimits
      const outcome = await fetcher.fetch(step, { limits, signal, ...(allow && isOwnHost && { allow }) })
      result = this.#resultOf(outcome)
      return outcome
    } finally {
      if (!isOwnHost) pace.endTurn(step, result)
    }
  }

  #outOfTurn({ authority }: Url): FetchFailure {
    const reason = `it redirects to ${authority}, which is not to be asked for now`
    return {
      kind: 'failed',
      code: 'timeout',
      reason,
      retry: 'later',
      address: undefined,
      endedAtMs: this.#needs.clock.monotonicMs(),
    }
  }

  #resultOf(outcome: FetchOutcome): FetchResult {
    const { pace, clock } = this.#needs
    return fetchResultOf(outcome, { frontier: pace, clock })
  }

  #of(url: Url): Known | undefined {
    const known = this.#known.get(url.origin)
    if (known !== undefined) return known
    const bytes = this.#needs.notes.get(url, noteName(url))
    const state = bytes && robotsStateIn(Buffer.from(bytes).toString())
    return state && this.#remember(url, state)
  }

  #put(url: Url, state: RobotsState): void {
    this.#needs.notes.put(url, noteName(url), Buffer.from(JSON.stringify(state)))
    this.#remember(url, state)
  }

  #remember(url: Url, state: RobotsState): Known {
    const known = { state, rules: robotsRulesOf(state, this.#agent) }
    this.#known.set(url.origin, known)
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
    return { kind: 'unreachable', reason: last.reason, code: last.code }
  }
  const { bytes: body, end } = await contentOf(last)
  const { truncated } = last.capture
  // Rules of which a part did not come could forbid anything. That there is more than is read is no harm.
  if (end === 'damaged' || (truncated !== undefined && truncated !== 'length'))
    return { kind: 'unreachable', reason: `only a part of it came: ${truncated ?? 'it cannot be decoded'}` }
  const retryAfter = last.headers.get('Retry-After')
  return {
    kind: 'response',
    status: last.status,
    body,
    cacheControl: last.headers.get('Cache-Control'),
    retryAfterMs: retryAfter === undefined ? undefined : retryAfterMs(retryAfter, nowMs),
  }
}

function contentOf(fetched: Fetched): Promise<DecodedContent> {
  const { headers } = fetched
  return decodeContent(fetched.body(), headers.get('Content-Encoding'), robotsLimits.bodyBytesMax)
}
