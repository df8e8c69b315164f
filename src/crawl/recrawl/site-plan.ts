// Site plan: how a site's request budget is spread over its pages.
//
// It knows what change rates are usual on the site, which is what is believed of a page before its visits tell, and the
// level of gain at which pages are visited. The level is moved a little with each visit, up when more visits are planned
// than the budget has, down when fewer: so nothing is ever recomputed over all pages.
// Pure: the caller keeps it, as JSON, with the site.

import { believed, type RateEvidence, rateCount } from './change-rates.ts'
import { type IntervalBounds, intervalMsFor, meanRatePerMs } from './visit-interval.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export interface SitePlanState {
  /** How much page time was spent at each rate, as far as is believed. */
  readonly usual: readonly number[]
  readonly levelMs: number
  /** Visits per millisecond that are planned for all pages together. */
  readonly plannedPerMs: number
  readonly pages: number
}

/** Whoever wants pages more often than hourly says so (`--fresh`, `visits --every`). */
export const boundsDefault: IntervalBounds = { minMs: hourMs, maxMs: 90 * dayMs }

/** Until a site tells otherwise: many rates are possible, and pages that change once in weeks or months are usual. */
const usualFirst: readonly number[] = Array.from({ length: rateCount }, (_, index) =>
  Math.exp(-(((index - 9) / 6) ** 2)),
)
/** How much page time the first guess is worth. */
const usualFirstMs = 10 * dayMs

export function newSitePlan(): SitePlanState {
  const sum = usualFirst.reduce((total, share) => total + share, 0)
  return {
    usual: usualFirst.map((share) => (share / sum) * usualFirstMs),
    levelMs: 6 * hourMs,
    plannedPerMs: 0,
    pages: 0,
  }
}

/** What is believed of a page's change rate. */
export function beliefIn(plan: SitePlanState, evidence: RateEvidence): number[] {
  const usual = plan.usual.slice()
  let sum = 0
  for (let index = 0; index < usual.length; index++) sum += usual[index]!
  for (let index = 0; index < usual.length; index++) usual[index]! /= sum
  return believed(evidence, usual)
}

/** Of the time in which a change is to be expected. */
const floorShare = 0.5
/** Where a visit for less gain than this is worth it, the site has requests to spare: then, and only then, they are not spent on
 * pages that stay as they are. Where they are scarce the plan does better by itself. */
const spareLevelMs = hourMs

/** A page was visited: the interval to its next visit, and the plan with that in place of the last. */
export function planVisit(
  plan: SitePlanState,
  page: {
    evidence: RateEvidence
    lastIntervalMs: number | undefined
    sinceMs: number | undefined
    /** No sooner than this where there are requests to spare, within the bounds, unless a change is to be expected sooner. */
    floorMs?: number | undefined
  },
  budgetPerMs: number,
  bounds: IntervalBounds = boundsDefault,
): { plan: SitePlanState; intervalMs: number } {
  const belief = beliefIn(plan, page.evidence)
  const isSpare = plan.levelMs < spareLevelMs
  const floorMs = Math.min(page.floorMs ?? 0, bounds.maxMs, floorShare / meanRatePerMs(belief))
  const intervalMs = Math.max(intervalMsFor(belief, plan.levelMs, bounds), isSpare ? floorMs : 0)
  const lastPerMs = page.lastIntervalMs === undefined ? 0 : 1 / page.lastIntervalMs
  const plannedPerMs = Math.max(0, plan.plannedPerMs - lastPerMs) + 1 / intervalMs
  const pages = plan.pages + (page.lastIntervalMs === undefined ? 1 : 0)
  return {
    intervalMs,
    plan: {
      usual: page.sinceMs === undefined ? plan.usual : learned(plan.usual, belief, page.sinceMs),
      levelMs: movedLevel(plan.levelMs, plannedPerMs / budgetPerMs, pages),
      plannedPerMs,
      pages,
    },
  }
}

/** A page is dead or gone. */
export function withoutPage(plan: SitePlanState, lastIntervalMs: number): SitePlanState {
  const plannedPerMs = Math.max(0, plan.plannedPerMs - 1 / lastIntervalMs)
  return { ...plan, plannedPerMs, pages: Math.max(0, plan.pages - 1) }
}

/** Frequent visitors would count too much by visits: so by the time that lies between them. */
function learned(usual: readonly number[], belief: readonly number[], sinceMs: number): number[] {
  const memory = 0.9995
  return usual.map((timeMs, index) => memory * timeMs + belief[index]! * sinceMs)
}

function movedLevel(levelMs: number, load: number, pages: number): number {
  // A page plans anew at each of its visits only, so a level needs about a round of visits to have its effect.
  const step = 1 / Math.max(8, pages / 2)
  const moved = levelMs * Math.exp(step * Math.max(-1, Math.min(1, Math.log(load))))
  return Math.min(365 * dayMs, Math.max(1_000, moved))
}
