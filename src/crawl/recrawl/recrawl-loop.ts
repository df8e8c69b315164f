// Recrawl loop: takes the pages that are due, has them visited under the same politeness as any crawl, and sleeps until the next
// is due.
//
// Requisites of a changed page are fetched with it; its links are left to crawls.

import { tryParseUrl } from '../../model/url/url.ts'
import type { Clock } from '../../platform/clock.ts'
import { WakeSignal } from '../../platform/wake-signal.ts'
import type { Crawl } from '../crawl.ts'
import type { Frontier } from '../frontier/frontier.ts'
import { type JobOptions, jobIdOf } from '../frontier/jobs/crawl-job.ts'

/** The only job without seeds. */
const freshJob: JobOptions = { seeds: [], scope: 'page', budgets: {} }
export const freshJobId: string = jobIdOf(freshJob)

/** The job that visits again, begun anew if it has ended. */
export function openFreshJob(frontier: Frontier): string {
  const job = frontier.jobs.open(freshJob)
  return job.state === 'done' ? frontier.jobs.restart(job.id).id : job.id
}

/** Pages taken at once: more spread better over hosts, fewer notice sooner what has become due. */
const visitsAtOnce = 1_000
/** How long to sleep when nothing is due; a crawl by another process may have brought new pages. */
const sleepMsMax = 60_000
/** Visits looked at together when rules are new: some milliseconds. */
const replannedAtOnce = 200
const sleepMsMin = 1_000

export class RecrawlLoop {
  readonly #frontier: Frontier
  readonly #crawl: Crawl
  readonly #clock: Clock
  readonly #wakeSignal: WakeSignal
  readonly #rules: string

  /** `rules` names the rules of freshness that hold: where others held before, visits are planned anew by them. */
  constructor(needs: { frontier: Frontier; crawl: Crawl; clock: Clock }, rules = '') {
    this.#clock = needs.clock
    this.#rules = rules
    this.#frontier = needs.frontier
    this.#crawl = needs.crawl
    this.#wakeSignal = new WakeSignal(needs)
  }

  /** Until stopped. Crawls that were interrupted go on first. */
  async run(signals: { stop: AbortSignal; abort: AbortSignal }): Promise<void> {
    const replanning = this.#replan(signals.stop)
    // Whoever awaits it below gets its error.
    replanning.catch(() => {})
    while (!signals.stop.aborted) {
      const count = this.#takeDue()
      await this.#crawl.run(signals)
      if (count === 0 && !signals.stop.aborted) await this.#sleep(signals.stop)
    }
    await replanning
  }

  /** Beside all else, a little at a time. */
  async #replan(stop: AbortSignal): Promise<void> {
    while (!stop.aborted && !(await this.#frontier.visits.replan(this.#rules, replannedAtOnce))) {
      await new Promise<void>((resolve) => this.#clock.after(1, resolve))
    }
    this.#wakeSignal.ring()
  }

  /** A job was begun or goes on: it is taken up at once. */
  wake(): void {
    this.#wakeSignal.ring()
    this.#crawl.wake()
  }

  #takeDue(): number {
    const due = this.#frontier.visits.due(visitsAtOnce)
    if (due.length === 0) return 0
    const id = openFreshJob(this.#frontier)
    for (const href of due) {
      const url = tryParseUrl(href)
      if (url !== null) this.#frontier.visits.revisit(url, id)
    }
    return due.length
  }

  async #sleep(stop: AbortSignal): Promise<void> {
    const nextMs = (this.#frontier.visits.nextAtMs() ?? Number.POSITIVE_INFINITY) - this.#frontier.nowMs()
    const ring = () => this.#wakeSignal.ring()
    stop.addEventListener('abort', ring)
    await this.#wakeSignal.wait(Math.min(sleepMsMax, Math.max(sleepMsMin, nextMs)))
    stop.removeEventListener('abort', ring)
  }
}
