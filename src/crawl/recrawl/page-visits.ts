// Page visits: what is kept of a page to know when to visit it again. Pure; small enough for a frontier entry.
//
// Invariants: dead after failuresMax failures in a row, and then visited rarely until it answers again. The next visit
// is spread by chance around its interval, so that pages found together do not stay together. A page that did not change
// is not visited as soon again.

import type { Random } from '../../platform/random.ts'
import { credibleAgeMs, noEvidence, type RateEvidence, withNews } from './change-rates.ts'
import { boundsDefault, planVisit, type SitePlanState, withoutPage } from './site-plan.ts'
import type { IntervalBounds } from './visit-interval.ts'

export const failuresMax = 5
const dayMs = 24 * 3_600_000
/** Dead pages come back now and then: a site was down for a week, a shop sells again. */
const deadIntervalMs = 60 * dayMs
const retryMsFirst = 3_600_000
/** After a visit that found nothing new, times as long as the last pause; beyond this the plan alone decides. */
const backOffFactor = 1.5
const backOffMsMax = 30 * dayMs
/** The share of an interval by which it is made shorter or longer. */
const jitter = 0.1

export interface PageVisits {
  readonly evidence: RateEvidence
  readonly visitedAtMs: number | undefined
  readonly dueAtMs: number
  /** As planned, before chance; undefined while it is in no plan. */
  readonly intervalMs: number | undefined
  readonly failures: number
}

export const unvisited: PageVisits = {
  evidence: noEvidence(),
  visitedAtMs: undefined,
  dueAtMs: 0,
  intervalMs: undefined,
  failures: 0,
}

export interface Visit {
  readonly atMs: number
  /** `same`: a 304, or the digest of the visit before. `failed`: no answer, or 4xx and 5xx. */
  readonly outcome: 'new' | 'changed' | 'same' | 'failed'
  readonly lastModifiedMs?: number | undefined
}

export interface SiteTerms {
  /** Visits per millisecond that the site may be asked for. */
  readonly budgetPerMs: number
  readonly bounds?: IntervalBounds | undefined
}

export function visited(
  page: PageVisits,
  plan: SitePlanState,
  visit: Visit,
  terms: SiteTerms,
  random: Random,
): { page: PageVisits; plan: SitePlanState } {
  if (visit.outcome === 'failed') return failed(page, plan, visit, random)
  // Visited in the future: a clock was ahead, and how long ago that was is not known.
  const isKnownSince = page.visitedAtMs !== undefined && page.visitedAtMs <= visit.atMs
  const sinceMs = isKnownSince ? Math.max(1, visit.atMs - page.visitedAtMs!) : undefined
  const evidence = sinceMs === undefined ? page.evidence : withNews(page.evidence, newsOf(visit, sinceMs))
  const planned = planVisit(
    plan,
    { evidence, lastIntervalMs: page.intervalMs, sinceMs, floorMs: backOffMs(visit, sinceMs) },
    terms.budgetPerMs,
    terms.bounds ?? boundsDefault,
  )
  const dueAtMs = visit.atMs + spread(planned.intervalMs, random)
  return {
    page: { evidence, visitedAtMs: visit.atMs, dueAtMs, intervalMs: planned.intervalMs, failures: 0 },
    plan: planned.plan,
  }
}

/** A page that has not changed is left alone for longer each time: a small site has requests to spare, and that is no reason to
 * spend them on pages that stay as they are. */
function backOffMs({ outcome }: Visit, sinceMs: number | undefined): number | undefined {
  if (outcome !== 'same' || sinceMs === undefined) return undefined
  return Math.min(backOffMsMax, backOffFactor * sinceMs)
}

/** Other bounds hold than when its next visit was planned: the visit is moved to where they allow, or left. What waits after
 * failures is left alone. A visit that was planned by a clock that was ahead is moved to where it would be if it had been planned
 * now. */
export function rebounded(
  planned: PageVisits,
  bounds: IntervalBounds,
  random: Random,
  nowMs: number,
): PageVisits {
  const page = broughtBack(planned, random, nowMs)
  const { visitedAtMs, intervalMs, failures, dueAtMs } = page
  if (visitedAtMs === undefined || intervalMs === undefined || failures > 0) return page
  const bound = Math.min(bounds.maxMs, Math.max(bounds.minMs, intervalMs))
  return bound === intervalMs ? page : { ...page, dueAtMs: movedDue(dueAtMs, visitedAtMs, bound, random) }
}

function broughtBack(page: PageVisits, random: Random, nowMs: number): PageVisits {
  const { visitedAtMs = 0, failures, intervalMs = 0, dueAtMs } = page
  const waitMs = failures > 0 ? pauseMsAfter(failures) : intervalMs
  const isAhead = visitedAtMs > nowMs || (failures > 0 && dueAtMs > nowMs + waitMs * (1 + jitter))
  if (!isAhead) return page
  return {
    ...page,
    visitedAtMs: page.visitedAtMs && Math.min(visitedAtMs, nowMs),
    dueAtMs: Math.min(dueAtMs, nowMs + spread(waitMs, random)),
  }
}

/** The interval stays as it was planned, for the site's plan counts on it: the next visit plans anew. */
function movedDue(dueAtMs: number, visitedAtMs: number, intervalMs: number, random: Random): number {
  const isLate = dueAtMs > visitedAtMs + intervalMs * (1 + jitter)
  const isEarly = dueAtMs < visitedAtMs + intervalMs * (1 - jitter)
  return isLate || isEarly ? visitedAtMs + spread(intervalMs, random) : dueAtMs
}

function newsOf(visit: Visit, intervalMs: number): Parameters<typeof withNews>[1] {
  const ageMs = credibleAgeMs(visit.lastModifiedMs, visit.atMs, intervalMs)
  return { intervalMs, isChanged: visit.outcome !== 'same', ageMs }
}

function failed(
  page: PageVisits,
  plan: SitePlanState,
  visit: Visit,
  random: Random,
): { page: PageVisits; plan: SitePlanState } {
  const failures = Math.min(255, page.failures + 1)
  const isGone = failures >= failuresMax
  const pauseMs = pauseMsAfter(failures)
  const leaves = isGone && page.intervalMs !== undefined
  return {
    page: {
      ...page,
      failures,
      dueAtMs: visit.atMs + spread(pauseMs, random),
      intervalMs: isGone ? undefined : page.intervalMs,
    },
    plan: leaves ? withoutPage(plan, page.intervalMs!) : plan,
  }
}

function pauseMsAfter(failures: number): number {
  return failures >= failuresMax ? deadIntervalMs : retryMsFirst * 4 ** (failures - 1)
}

function spread(intervalMs: number, random: Random): number {
  return intervalMs * (1 + jitter * (2 * random.fraction() - 1))
}
