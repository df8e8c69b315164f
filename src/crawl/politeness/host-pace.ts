// Host pace: when a host may be asked next. A pure state machine: what happened goes in, the new pace comes out.
//
// Invariants: a pause is measured from the end of the last response, and is never shorter than robots' crawl-delay, than
// the configured delay, than a rule's, or than what Retry-After asked for (each within its bound). It is never made shorter by a
// response that ended earlier. A host that refuses and says for how long is left alone for that long, be it shorter or
// longer than our own back-off, which is for those that do not say.
// A pace is plain JSON, so it is kept with its site and outlives the process. It knows how long its pause is, not only when that
// ends: whoever loads it waits for no longer, however wrong the clock was by which it was stored.
// Leaves to others: how many requests are under way (the frontier knows), addresses (address-gate.ts).

import { backOffMs } from '../../model/back-off.ts'
import type { PolitenessRules } from './politeness-rules.ts'
import { retryAfterMs } from './retry-after.ts'

export interface HostPace {
  /** Wall time from which on the host may be asked. */
  readonly nextAtMs: number
  /** How long the pause lasts that ends then; not known of paces of earlier versions. */
  readonly pauseMs?: number
  /** How long the last response took; undefined before the first. */
  readonly responseMs: number | undefined
  /** What robots.txt asks for. */
  readonly crawlDelayMs: number
  /** No response, or a 5xx that is no 503. */
  readonly failuresInRow: number
  /** 429 or 503. */
  readonly refusalsInRow: number
  /** Until when the host itself asked to be left alone, with Retry-After; 0 when it did not. */
  readonly askedUntilMs: number
  /** For how long it asked for that. */
  readonly askedMs?: number
}

export const untouched: HostPace = {
  nextAtMs: 0,
  responseMs: undefined,
  crawlDelayMs: 0,
  failuresInRow: 0,
  refusalsInRow: 0,
  askedUntilMs: 0,
}

type HostEvent =
  | {
      readonly kind: 'response'
      readonly endedAtMs: number
      readonly responseMs: number
      readonly status: number
      readonly retryAfter?: string | undefined
    }
  | { readonly kind: 'failure'; readonly endedAtMs: number; readonly responseMs: number }

export function paceAfter(pace: HostPace, event: HostEvent, rules: PolitenessRules): HostPace {
  const counted = count(pace, event)
  const askedMs = askedFor(event, rules)
  const pauseMs = Math.max(pauseMsOf(counted, rules), askedMs ?? ownBackOffMs(counted, rules))
  const isAskedLonger = event.endedAtMs + (askedMs ?? 0) >= pace.askedUntilMs
  return {
    ...withPause(counted, event.endedAtMs, pauseMs),
    ...(isAskedLonger && { askedUntilMs: event.endedAtMs + (askedMs ?? 0), askedMs: askedMs ?? 0 }),
  }
}

/** A pause that ends sooner than the one under way changes nothing. */
function withPause(pace: HostPace, sinceMs: number, pauseMs: number): HostPace {
  return sinceMs + pauseMs < pace.nextAtMs ? pace : { ...pace, nextAtMs: sinceMs + pauseMs, pauseMs }
}

/** Robots.txt was read: its crawl-delay counts from now on, also for the pause under way. */
export function paceWithCrawlDelay(
  pace: HostPace,
  crawlDelayMs: number,
  lastEndedAtMs: number | undefined,
  rules: PolitenessRules,
): HostPace {
  const slower = { ...pace, crawlDelayMs }
  if (lastEndedAtMs === undefined) return slower
  return withPause(slower, lastEndedAtMs, pauseMsOf(slower, rules))
}

/** Nobody knows whether the host was just being asked when the last process died: so as if it had been. */
export function paceAfterRestart(pace: HostPace, startedAtMs: number, rules: PolitenessRules): HostPace {
  return paceWithCrawlDelay(boundedPace(pace, startedAtMs, rules), pace.crawlDelayMs, startedAtMs, rules)
}

/** What a process that starts makes of the pace that the last one left. With `--delay 0` only what the host itself asked
 * for still counts: our own back-off was a guess about a server that its owner may have mended since, and who crawls his
 * own server without pauses does not want to wait half an hour for the last run's failures. */
export function paceAtStart(pace: HostPace, nowMs: number, rules: PolitenessRules): HostPace {
  if (rules.delayMs !== 0) return boundedPace(pace, nowMs, rules)
  const { askedUntilMs, askedMs } = pace
  const forgiven = { ...pace, failuresInRow: 0, refusalsInRow: 0 }
  const isAsked = askedUntilMs <= pace.nextAtMs
  return boundedPace(
    isAsked
      ? { ...forgiven, nextAtMs: askedUntilMs, ...(askedMs !== undefined && { pauseMs: askedMs }) }
      : forgiven,
    nowMs,
    rules,
  )
}

/** A clock that was ahead when it was stored must not keep a host waiting for longer than its pause. */
export function boundedPace(pace: HostPace, nowMs: number, rules: PolitenessRules): HostPace {
  const longestMs = Math.max(
    rules.retryAfterMsMax,
    rules.backOffMsMax,
    rules.crawlDelayMsMax,
    rules.delayMs ?? rules.delayMsMax,
    rules.ruleDelayMs ?? 0,
  )
  const pauseMs = Math.min(longestMs, Math.max(0, pace.pauseMs ?? longestMs))
  const { askedUntilMs, askedMs = rules.retryAfterMsMax } = pace
  return pace.nextAtMs <= nowMs + pauseMs
    ? pace
    : {
        ...pace,
        nextAtMs: nowMs + pauseMs,
        askedUntilMs: Math.min(askedUntilMs, nowMs + Math.max(0, askedMs)),
      }
}

/** The host is given up for a while (host-outage.ts): who asks it after that asks anew, without the back-off that failures
 * brought. */
export function paceForgiven(
  pace: HostPace,
  lastEndedAtMs: number | undefined,
  rules: PolitenessRules,
): HostPace {
  const pausedUntilMs = lastEndedAtMs === undefined ? 0 : lastEndedAtMs + pauseMsOf(pace, rules)
  const nextAtMs = Math.min(pace.nextAtMs, Math.max(pace.askedUntilMs, pausedUntilMs))
  const pauseMs = Math.max(pace.askedMs ?? 0, pauseMsOf(pace, rules))
  return { ...pace, nextAtMs, failuresInRow: 0, ...(pace.pauseMs !== undefined && { pauseMs }) }
}

export function isDown(pace: HostPace, rules: PolitenessRules): boolean {
  return pace.failuresInRow >= rules.failuresMax
}

/** The pause between requests when all is well. */
export function pauseMsOf(
  pace: Pick<HostPace, 'responseMs' | 'crawlDelayMs'>,
  rules: Pick<
    PolitenessRules,
    'delayFactor' | 'delayMsMin' | 'delayMsMax' | 'delayMs' | 'ruleDelayMs' | 'crawlDelayMsMax'
  >,
): number {
  const { delayFactor, delayMsMin, delayMsMax } = rules
  const ownMs =
    rules.delayMs ?? Math.min(delayMsMax, Math.max(delayMsMin, delayFactor * (pace.responseMs ?? 0)))
  return Math.max(ownMs, rules.ruleDelayMs ?? 0, Math.min(pace.crawlDelayMs, rules.crawlDelayMsMax))
}

function count(pace: HostPace, event: HostEvent): HostPace {
  const { responseMs } = event
  // What goes wrong while the host is left alone was under way before, and is the same trouble: counted once.
  const hasTrouble = pace.failuresInRow + pace.refusalsInRow > 0
  const more = hasTrouble && event.endedAtMs < pace.nextAtMs ? 0 : 1
  if (event.kind === 'failure') return { ...pace, responseMs, failuresInRow: pace.failuresInRow + more }
  const isRefusal = event.status === 429 || event.status === 503
  const isFailure = event.status >= 500 && !isRefusal
  return {
    ...pace,
    responseMs,
    // A 5xx for one page says little of the host: it slows us down, but alone it never makes a host count as down.
    failuresInRow: 0,
    refusalsInRow: isRefusal ? pace.refusalsInRow + more : isFailure ? pace.refusalsInRow : 0,
  }
}

function ownBackOffMs(pace: HostPace, rules: PolitenessRules): number {
  const { backOffMsFirst: firstMs, backOffMsMax: longestMs } = rules
  return backOffMs({ firstMs, longestMs }, pace.failuresInRow + pace.refusalsInRow)
}

/** undefined when it did not ask, or not so that it can be understood. */
function askedFor(event: HostEvent, rules: PolitenessRules): number | undefined {
  if (event.kind === 'failure' || event.retryAfter === undefined) return undefined
  // On other statuses it means something else (a redirect, maintenance to come) and is still a wish to be left alone.
  const askedMs = retryAfterMs(event.retryAfter, event.endedAtMs)
  return askedMs === undefined ? undefined : Math.min(rules.retryAfterMsMax, askedMs)
}
