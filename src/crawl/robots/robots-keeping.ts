// Robots.txt of every origin that is crawled: fetched when due, kept with its site, asked before each fetch.
//
// Fetching one is a request to the host like any other, so it counts for politeness: the caller gives its lease back and
// comes again when the host may be asked. What is fetched is archived too.

import { parseHttpHead } from '../../record/http-message.ts'
import type { Url } from '../../record/url.ts'
import type { WebAnswer } from '../../world/web.ts'
import { retryAfterMs } from '../politeness/retry-after.ts'
import {
  isRobotsDue,
  type RobotsAnswer,
  type RobotsState,
  robotsAfter,
  robotsRulesOf,
  robotsVerdict,
} from './robots-policy.ts'
import { firstRobotsStep, nextRobotsStep } from './robots-redirects.ts'
import type { RobotsRules, RobotsVerdict } from './robots-rules.ts'

/** Where states are kept: with their site, so that they move with it. */
export interface RobotsNotes {
  note(url: Url, name: string): Uint8Array | undefined
  putNote(url: Url, name: string, bytes: Uint8Array | undefined): void
}

/** Fetches and archives one URL; gives head and body. */
export type RobotsFetch = (url: Url, signal?: AbortSignal) => Promise<{ answer: WebAnswer; body: Uint8Array }>

interface Known {
  state: RobotsState
  rules: RobotsRules
}

const originsMax = 10_000

export class RobotsKeeping {
  readonly #notes: RobotsNotes
  readonly #fetch: RobotsFetch
  readonly #agent: string
  readonly #known = new Map<string, Known>()

  constructor(needs: { notes: RobotsNotes; fetch: RobotsFetch }, agent: string) {
    this.#notes = needs.notes
    this.#fetch = needs.fetch
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

  /** Asks the origin, following redirects. Gives the last answer, for politeness. */
  async renew(url: Url, nowMs: () => number, signal?: AbortSignal): Promise<WebAnswer> {
    let step = firstRobotsStep(url)
    for (;;) {
      const { answer, body } = await this.#fetch(step.url, signal)
      const next =
        answer.outcome === 'response' ? nextRobotsStep(step, answer.status, locationOf(answer)) : 'final'
      if (typeof next !== 'string') {
        step = next
        continue
      }
      // Nobody was asked: that says nothing about the site.
      if (answer.outcome === 'failure' && answer.code === 'address-forbidden') return answer
      const meaning: RobotsAnswer = next === 'astray' ? { kind: 'astray' } : meaningOf(answer, body, nowMs())
      this.#put(url, robotsAfter(this.#of(url)?.state, meaning, nowMs()))
      return answer
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

function locationOf(answer: Extract<WebAnswer, { outcome: 'response' }>): string | undefined {
  return parseHttpHead(answer.head)?.headers.get('Location')
}

function meaningOf(answer: WebAnswer, body: Uint8Array, nowMs: number): RobotsAnswer {
  if (answer.outcome === 'failure') return { kind: 'unreachable' }
  const headers = parseHttpHead(answer.head)?.headers
  const retryAfter = headers?.get('Retry-After')
  return {
    kind: 'response',
    status: answer.status,
    body,
    cacheControl: headers?.get('Cache-Control'),
    retryAfterMs: retryAfter === undefined ? undefined : retryAfterMs(retryAfter, nowMs),
  }
}
