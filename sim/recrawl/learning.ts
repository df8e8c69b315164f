// Our recrawl policy at work on a population: it knows nothing of the rates but what its visits tell.
//
// Exactly so many visits as the budget has are made, evenly in time; each goes to the page that is due first.

import { TimeHeap } from '../../src/crawl/frontier/lanes/time-heap.ts'
import { type PageVisits, unvisited, visited } from '../../src/crawl/recrawl/page-visits.ts'
import { newSitePlan } from '../../src/crawl/recrawl/site-plan.ts'
import type { Random } from '../../src/platform/random.ts'
import type { Population } from './population.ts'

interface Page {
  rate: number
  visits: PageVisits
  /** When it changes next. */
  changesAtMs: number
  /** Since when our copy is out of date. */
  staleSinceMs: number | undefined
  freshMs: number
  seenAtMs: number
}

export interface LearningResult {
  /** The share of fresh time over all pages, after the time for learning. */
  freshness: number
  visits: number
}

/** The time that the budget allows for so many visits per page on average is spent on learning before it counts. */
export function learnedFreshness(
  { ratesPerMs, budgetPerMs }: Population,
  random: Random,
  rounds: { learning: number; counted: number },
): LearningResult {
  const roundMs = ratesPerMs.length / budgetPerMs
  const [countFromMs, endMs] = [rounds.learning * roundMs, (rounds.learning + rounds.counted) * roundMs]
  let plan = newSitePlan()
  const heap = new TimeHeap<Page>()
  const pages = ratesPerMs.map((rate): Page => {
    const changesAtMs = nextChange(rate, 0, random)
    return { rate, visits: unvisited, changesAtMs, staleSinceMs: 0, freshMs: 0, seenAtMs: 0 }
  })
  for (const page of pages) heap.add(random.fraction(), page)
  let count = 0
  for (let atMs = 0; atMs < endMs; atMs += 1 / budgetPerMs) {
    const page = heap.take()!
    const isChanged = page.changesAtMs <= atMs
    settle(page, atMs, countFromMs)
    while (page.changesAtMs <= atMs)
      page.changesAtMs = nextChange(page.rate, Math.max(page.changesAtMs, atMs - 40 / page.rate), random)
    const outcome = page.visits.visitedAtMs === undefined ? 'new' : isChanged ? 'changed' : 'same'
    const next = visited(page.visits, plan, { atMs, outcome }, { budgetPerMs }, random)
    page.visits = next.page
    plan = next.plan
    heap.add(page.visits.dueAtMs, page)
    count++
  }
  for (const page of pages) settle(page, endMs, countFromMs)
  const freshMs = pages.reduce((sum, page) => sum + page.freshMs, 0)
  return { freshness: freshMs / (pages.length * (endMs - countFromMs)), visits: count }
}

/** Counts the fresh time since the last visit. */
function settle(page: Page, atMs: number, countFromMs: number): void {
  if (page.visits.visitedAtMs !== undefined) {
    const freshUntilMs = Math.min(atMs, page.changesAtMs)
    page.freshMs += Math.max(0, freshUntilMs - Math.max(page.seenAtMs, countFromMs))
  }
  page.seenAtMs = atMs
}

function nextChange(rate: number, fromMs: number, random: Random): number {
  return fromMs - Math.log(1 - random.fraction()) / rate
}
