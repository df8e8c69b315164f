// The visits of a frontier: when pages that are known are looked at again.

import type { PlannedVisit, VisitTarget } from '../../model/jobs/planned-visit.ts'
import type { Url } from '../../model/url/url.ts'
import type { SteadyClock } from '../../platform/steady-clock.ts'
import type { PageVisits, Visit } from '../recrawl/page-visits.ts'
import type { FrontierTables } from './frontier-tables.ts'
import type { Intake } from './intake.ts'

export class FrontierVisits {
  readonly #tables: FrontierTables
  readonly #intake: Intake
  readonly #clock: SteadyClock

  constructor(parts: { tables: FrontierTables; intake: Intake; clock: SteadyClock }) {
    this.#tables = parts.tables
    this.#intake = parts.intake
    this.#clock = parts.clock
  }

  /** A page was visited: its next visit is planned. Call it before `complete`, and both are committed together. */
  visited(url: Url, visit: Visit): PageVisits {
    const page = this.#tables.recrawl.visited(url, visit)
    this.#tables.buffer.checkpoint()
    return page
  }

  /** Pages that are due for another visit, overdue ones first; each is given once, and again when nothing came of it. */
  due(limit: number): string[] {
    const hrefs = this.#tables.recrawl.due(this.#clock.nowMs(), limit)
    this.#tables.buffer.checkpoint()
    return hrefs
  }

  /** Other rules of freshness may hold than when visits were planned; `rules` names them. Looks at so many visits, and
   * resolves with whether none is left to look at. */
  async replan(rules: string, limit: number): Promise<boolean> {
    const isDone = this.#tables.recrawl.replan(rules, limit, this.#clock.nowMs())
    this.#tables.buffer.checkpoint()
    await this.#tables.buffer.room()
    return isDone
  }

  /** When the next visit is due; undefined when there is none. */
  nextAtMs(): number | undefined {
    return this.#tables.recrawl.nextAtMs()
  }

  /** The visits that are planned, those due first. */
  planned(target: VisitTarget, limit: number): PlannedVisit[] {
    return this.#tables.recrawl.planned(target, limit)
  }

  /** What is known of a page's visits. */
  of(url: Url): PageVisits | undefined {
    return this.#tables.recrawl.page(url)
  }

  /** Fetched again although it is known, for the job that keeps things fresh. Who asks sees to it that it is not queued
   * already. */
  revisit(url: Url, jobId: string): void {
    this.#intake.addRevisit(url, jobId)
    this.#tables.buffer.checkpoint()
  }
}
