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
}

export interface LearningResult {
  /** From changes to visits: the root of the mean square, over all changes after the time for learning. */
  delayMs: number
  visits: number
}

/** The time that the budget allows for so many visits per page on average is spent on learning before it counts. */
export function learnedDelay(
  { ratesPerMs, budgetPerMs }: Population,
  random: Random,
  rounds: { learning: number; counted: number },
): LearningResult {
  const roundMs = ratesPerMs.length / budgetPerMs
  const [countFromMs, endMs] = [rounds.learning * roundMs, (rounds.learning + rounds.counted) * roundMs]
  let plan = newSitePlan()
  const heap = new TimeHeap<Page>()
  const pages = ratesPerMs.map(
    (rate): Page => ({ rate, visits: unvisited, changesAtMs: nextChange(rate, 0, random) }),
  )
  for (const page of pages) heap.add(random.fraction(), page)
  const delays = new Delays(countFromMs)
  let count = 0
  for (let atMs = 0; atMs < endMs; atMs += 1 / budgetPerMs) {
    const page = heap.take()!
    const isChanged = seeChanges(page, atMs, delays, random)
    const outcome = page.visits.visitedAtMs === undefined ? 'new' : isChanged ? 'changed' : 'same'
    const next = visited(page.visits, plan, { atMs, outcome }, { budgetPerMs }, random)
    page.visits = next.page
    plan = next.plan
    heap.add(page.visits.dueAtMs, page)
    count++
  }
  // What nobody has seen yet is as late as that.
  for (const page of pages) seeChanges(page, endMs, delays, random)
  return { delayMs: delays.rootMeanSquareMs, visits: count }
}

class Delays {
  readonly #fromMs: number
  #count = 0
  #squares = 0

  constructor(fromMs: number) {
    this.#fromMs = fromMs
  }

  add(changedAtMs: number, seenAtMs: number): void {
    if (changedAtMs < this.#fromMs) return
    this.#count++
    this.#squares += (seenAtMs - changedAtMs) ** 2
  }

  get rootMeanSquareMs(): number {
    return Math.sqrt(this.#squares / this.#count)
  }
}

/** Whether there were any since the last visit. */
function seeChanges(page: Page, atMs: number, delays: Delays, random: Random): boolean {
  const isChanged = page.changesAtMs <= atMs
  while (page.changesAtMs <= atMs) {
    delays.add(page.changesAtMs, atMs)
    page.changesAtMs = nextChange(page.rate, page.changesAtMs, random)
  }
  return isChanged
}

function nextChange(rate: number, fromMs: number, random: Random): number {
  return fromMs - Math.log(1 - random.fraction()) / rate
}
