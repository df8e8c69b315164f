// Robots policy: what the answer to a request for robots.txt means, and for how long (RFC 9309, sections 2.3 and 2.4).
//
//   2xx                     its rules
//   4xx, redirects astray   unavailable: everything is allowed
//   5xx, no answer          unreachable: the last copy if there is one, else everything is disallowed;
//                           after 30 days without a copy it counts as unavailable
//   429                     to the letter a 4xx. But it says "later", so a copy at hand stays valid, and where it says
//                           when, the question is put again then, before any page, a few times.
//
// A copy is valid for 24 hours, less where Cache-Control says so, never more unless the site is unreachable.
// A pure state machine: the caller fetches when isRobotsDue says so and tells what came. States are plain JSON, so that
// they move with their site.

import * as v from 'valibot'
import { backOffMs } from '../../model/back-off.ts'
import { parseRobots, robotsBytesMax } from './robots-file.ts'
import { RobotsRules, type RobotsVerdict } from './robots-rules.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export const copyValidMsMax = dayMs
/** `max-age=0` would make us ask before each page. */
export const copyValidMsMin = 5 * minuteMs
export const outageMsMax = 30 * dayMs

/** Between attempts while unreachable: doubled each time, as a site in trouble needs no more of us. */
const backOff = { firstMs: 10_000, longestMs: hourMs }
/** So often a 429 is asked again at the time that it names; then it counts as an answer for longer. */
const promptRetriesMax = 3

export type RobotsAnswer =
  | {
      readonly kind: 'response'
      /** Of the last response, redirects followed. */
      readonly status: number
      readonly body: Uint8Array
      readonly cacheControl?: string | undefined
      readonly retryAfterMs?: number | undefined
    }
  /** Redirects that are too many or lead nowhere. */
  | { readonly kind: 'astray' }
  /** No response at all: DNS, connection, TLS, time-out. */
  | { readonly kind: 'unreachable'; readonly reason?: string | undefined; readonly code?: string | undefined }

export interface RobotsState {
  readonly basis: 'rules' | 'unavailable' | 'unreachable'
  /** The copy as a byte string; '' unless the basis is `rules`. */
  readonly copy: string
  /** When to ask again. */
  readonly dueAtMs: number
  /** Since when it could not be reached, while that lasts. */
  readonly unreachableSinceMs: number | undefined
  readonly failures: number
  /** Why it could not be reached, for whoever asks. */
  readonly trouble?: string | undefined
  /** The code of the fetch that failed, when there was no response. */
  readonly troubleCode?: string | undefined
}

const stateSchema = v.object({
  basis: v.picklist(['rules', 'unavailable', 'unreachable']),
  copy: v.pipe(v.string(), v.maxLength(robotsBytesMax)),
  dueAtMs: v.pipe(v.number(), v.finite()),
  unreachableSinceMs: v.optional(v.pipe(v.number(), v.finite())),
  failures: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 32)),
  trouble: v.optional(v.pipe(v.string(), v.maxLength(10_000))),
  troubleCode: v.optional(v.pipe(v.string(), v.maxLength(100))),
})

/** As it was noted, by us or by whoever crawled the site before; undefined when it cannot be read: then robots.txt is asked for anew. */
export function robotsStateIn(text: string): RobotsState | undefined {
  try {
    const { success, output } = v.safeParse(stateSchema, JSON.parse(text))
    return success ? { ...output, unreachableSinceMs: output.unreachableSinceMs } : undefined
  } catch {
    // No JSON.
    return undefined
  }
}

type RobotsStance = 'rules' | 'allow-all' | 'disallow-all'

export function robotsAfter(last: RobotsState | undefined, answer: RobotsAnswer, nowMs: number): RobotsState {
  if (answer.kind === 'unreachable') return unreachable(last, undefined, nowMs, answer)
  if (answer.kind === 'astray') return settled('unavailable', '', nowMs + copyValidMsMax)
  const { status, retryAfterMs } = answer
  if (status >= 200 && status <= 299) {
    return settled('rules', copyOf(answer.body), nowMs + validMs(answer.cacheControl))
  }
  if (status === 304 && last?.basis === 'rules') {
    return settled('rules', last.copy, nowMs + validMs(answer.cacheControl))
  }
  if (status === 429) return tooMany(last, retryAfterMs, nowMs)
  if (status >= 300 && status <= 499) return settled('unavailable', '', nowMs + copyValidMsMax)
  return unreachable(last, retryAfterMs, nowMs, { reason: `status ${status}` })
}

export function isRobotsDue(state: RobotsState | undefined, nowMs: number): boolean {
  // Nothing is valid for longer than a day: it was stored by a clock that was ahead.
  return state === undefined || nowMs >= state.dueAtMs || state.dueAtMs > nowMs + dayMs
}

export function robotsStance(state: RobotsState, nowMs: number): RobotsStance {
  if (state.basis === 'rules') return 'rules'
  if (state.basis === 'unavailable') return 'allow-all'
  const outageMs = nowMs - (state.unreachableSinceMs ?? nowMs)
  return outageMs >= outageMsMax ? 'allow-all' : 'disallow-all'
}

/** The rules of a copy, for one crawler. Parsing takes a moment: keep them as long as the copy. */
export function robotsRulesOf(state: RobotsState, agent: string): RobotsRules {
  return new RobotsRules(parseRobots(Buffer.from(state.copy, 'latin1')), agent)
}

/** The verdict in every stance; `rules` are those of robotsRulesOf. */
export function robotsVerdict(
  state: RobotsState,
  rules: RobotsRules,
  target: string,
  nowMs: number,
): RobotsVerdict {
  const stance = robotsStance(state, nowMs)
  if (stance === 'rules') return rules.verdictOn(target)
  const isAllowed = stance === 'allow-all' || target === '/robots.txt'
  const { trouble } = state
  return {
    isAllowed,
    rule: undefined,
    group: undefined,
    ...(!isAllowed && trouble !== undefined && { trouble }),
  }
}

function settled(basis: RobotsState['basis'], copy: string, dueAtMs: number): RobotsState {
  return { basis, copy, dueAtMs, unreachableSinceMs: undefined, failures: 0 }
}

function tooMany(
  last: RobotsState | undefined,
  retryAfterMs: number | undefined,
  nowMs: number,
): RobotsState {
  const failures = (last?.failures ?? 0) + 1
  const isPrompt = retryAfterMs !== undefined && failures <= promptRetriesMax
  const dueAtMs = nowMs + (isPrompt ? Math.min(dayMs, retryAfterMs) : retryMs(failures, retryAfterMs))
  const known = settled(last?.basis === 'rules' ? 'rules' : 'unavailable', last?.copy ?? '', dueAtMs)
  return { ...known, failures }
}

function unreachable(
  last: RobotsState | undefined,
  retryAfterMs: number | undefined,
  nowMs: number,
  { reason, code }: { readonly reason?: string | undefined; readonly code?: string | undefined },
): RobotsState {
  const failures = (last?.failures ?? 0) + 1
  return {
    // That there was no file yesterday is no copy: it might have one now.
    basis: last?.basis === 'rules' ? 'rules' : 'unreachable',
    copy: last?.copy ?? '',
    dueAtMs: nowMs + retryMs(failures, retryAfterMs),
    unreachableSinceMs: Math.min(last?.unreachableSinceMs ?? nowMs, nowMs),
    failures,
    ...(reason !== undefined && { trouble: reason }),
    ...(code !== undefined && { troubleCode: code }),
  }
}

function retryMs(failures: number, retryAfterMs: number | undefined): number {
  return Math.min(dayMs, Math.max(backOffMs(backOff, failures), retryAfterMs ?? 0))
}

/** One octet more than is read, so that the copy still tells that it was cut. */
function copyOf(body: Uint8Array): string {
  const kept = body.subarray(0, robotsBytesMax + 1)
  return Buffer.from(kept.buffer, kept.byteOffset, kept.length).toString('latin1')
}

function validMs(cacheControl: string | undefined): number {
  const directives = cacheControl?.toLowerCase() ?? ''
  if (/(?:^|[\s,])no-(?:store|cache)\b/.test(directives)) return copyValidMsMin
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?([0-9]{1,15})/.exec(directives)
  if (maxAge === null) return copyValidMsMax
  return Math.min(copyValidMsMax, Math.max(copyValidMsMin, Number(maxAge[1]) * 1_000))
}
