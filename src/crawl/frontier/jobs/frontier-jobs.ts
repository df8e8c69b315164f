// The jobs of a frontier: begun, joined, paused, told apart; and what each makes of a URL.

import assert from 'node:assert/strict'
import type { JobPriority } from '../../../model/jobs/job-service.ts'
import type { BrowserUse } from '../../../model/jobs/site-rule.ts'
import type { Url } from '../../../model/url/url.ts'
import type { SteadyClock } from '../../../platform/steady-clock.ts'
import type { Link } from '../discovery.ts'
import type { FetchScheduler } from '../fetch-scheduler.ts'
import type { FetchTask } from '../fetch-task.ts'
import type { FrontierTables } from '../frontier-tables.ts'
import type { Intake } from '../intake.ts'
import { type CrawlJob, type JobOptions, type JobShare, type JobState, jobIdOf } from './crawl-job.ts'
import { adoptedMax, type Job } from './job-table.ts'

/** What a job makes of a URL. */
export interface JobsView {
  readonly jobId: string
  readonly seeds: readonly string[]
  readonly state: CrawlJob['state']
  /** It was taken on: fetched, queued or turned down. */
  readonly isKnown: boolean
  /** Why it would not be taken on as a link of a seed; undefined when it would. */
  readonly outside: string | undefined
  /** Whether it shows pages in a browser, where it says so itself. */
  readonly browser: BrowserUse | undefined
}

/** Seeds that are told of a job. */
const seedsTold = 3

export class FrontierJobs {
  readonly #tables: FrontierTables
  readonly #intake: Intake
  readonly #scheduler: FetchScheduler
  readonly #clock: SteadyClock

  constructor(parts: {
    tables: FrontierTables
    intake: Intake
    scheduler: FetchScheduler
    clock: SteadyClock
  }) {
    this.#tables = parts.tables
    this.#intake = parts.intake
    this.#scheduler = parts.scheduler
    this.#clock = parts.clock
  }

  /** The job with these options: as it stands if there is one, else a new one with its seeds queued. */
  open(options: JobOptions): CrawlJob {
    const found = this.#tables.jobs.find(jobIdOf(options))
    return found === undefined ? this.#begin(options) : found.view
  }

  /** The same, but a new one begins with nothing queued: its seeds are others' to crawl. */
  join(options: JobOptions): CrawlJob {
    const { jobs, buffer } = this.#tables
    const job = jobs.join(options, this.#clock.nowMs())
    buffer.checkpoint()
    return job.view
  }

  /** The same job from the beginning: everything is to be fetched anew. What it knew is swept by and by. */
  restart(id: string): CrawlJob {
    const job = this.#tables.jobs.get(id)
    this.#clear(job)
    return this.#begin(job.options)
  }

  #clear(job: Job): void {
    assert(job.tasks === 0, 'leases of the job are out')
    this.#tables.lanes.evict(job.number, this.#clock.nowMs())
    this.#tables.lanes.forget(job.number)
    this.#tables.known.forgetRecent()
    this.#tables.log.restarts(job, (site) => this.#tables.hasOf(job.number, site))
    this.#tables.sweep.add(job.number)
  }

  #begin(options: JobOptions): CrawlJob {
    const job = this.#tables.jobs.add(options, this.#clock.nowMs())
    this.#intake.addSeeds(job)
    this.#tables.buffer.checkpoint()
    return job.view
  }

  find(id: string): CrawlJob | undefined {
    return this.#tables.jobs.find(id)?.view
  }

  all(): CrawlJob[] {
    return this.#tables.jobs.all.map(({ view }) => view)
  }

  /** Nothing more of it is given out. Tasks that are out may still be completed. */
  pause(id: string): void {
    this.#scheduler.jobStates.pause(this.#tables.jobs.get(id))
    this.#tables.buffer.checkpoint()
  }

  resume(id: string): void {
    const job = this.#tables.jobs.get(id)
    if (job.state === 'paused') this.#scheduler.jobStates.resume(job)
    this.#tables.buffer.checkpoint()
  }

  /** Where it has something queued or had, as far as that is crawled here. */
  hostsOf(id: string, limit: number): ReturnType<FrontierTables['hostsOf']> {
    return this.#tables.hostsOf(this.#tables.jobs.get(id).number, limit)
  }

  /** From now on it comes before others, or after them. */
  prioritize(id: string, priority: JobPriority): void {
    const job = this.#tables.jobs.get(id)
    if (job.priority === priority) return
    this.#scheduler.jobStates.prioritize(job, priority)
    this.#tables.buffer.checkpoint()
  }

  /** Ends it for good; the same options begin anew. Tasks that are out may still be completed. */
  cancel(id: string): void {
    this.#scheduler.jobStates.cancel(this.#tables.jobs.get(id))
    this.#tables.buffer.checkpoint()
  }

  /** A shared job stands as all peers say. */
  settle(id: string, state: JobState, ending?: string): void {
    const job = this.#tables.jobs.get(id)
    if (job.state === state && job.ending === ending) return
    this.#scheduler.jobStates.settle(job, state, ending)
    this.#tables.buffer.checkpoint()
  }

  /** What this frontier has of a job that several share. */
  shareOf(id: string): JobShare {
    const job = this.#tables.jobs.get(id)
    const { counters, tasks, allotted, hasPagesLeft } = job
    const isStopped = tasks === 0 && counters.pending > 0 && !hasPagesLeft
    const isOutOfPages = isStopped && !this.#tables.lanes.hasUnparked(job.number, this.#clock.nowMs())
    const isAllHeld = tasks === 0 && this.#tables.lanes.isAllHeld(job.number)
    return { counters: { ...counters }, tasks, allotted, isOutOfPages, isAllHeld }
  }

  /** Of the pages that a shared job may fetch, so many in all are for this frontier. */
  allotPages(id: string, pages: number): void {
    const job = this.#tables.jobs.get(id)
    job.allotted = pages
    this.#tables.jobs.noteChange(job)
    this.#tables.buffer.checkpoint()
  }

  /** A seed of a shared job led there: from now on it counts as a seed where scope is concerned. */
  adoptSeed(id: string, url: Url): void {
    const job = this.#tables.jobs.get(id)
    if (job.adopted.includes(url.href)) return
    this.#tables.jobs.adopt(job, url.href)
    this.#tables.buffer.checkpoint()
  }

  /** Whether a seed led outside of its job's scope: then all who share the job have to know, for their own links. */
  leadsOutside(task: FetchTask, { url, kind }: Link): boolean {
    if (task.kind !== 'seed' || kind !== 'redirect') return false
    const { scope, options, adopted } = this.#tables.jobs.get(task.jobId)
    if (adopted.length >= adoptedMax) return false
    const question = { url, kind: 'navigation', depth: 0, requisiteHops: 0, redirects: 0 } as const
    // Pages alone need no scope: where a seed led is queued as a seed.
    return options.scope !== 'page' && scope.refusal(question) !== undefined
  }

  /** A job that nobody will ask for again. Nothing of it may be out. What it knew is swept by and by. */
  forget(id: string): void {
    const job = this.#tables.jobs.get(id)
    this.#clear(job)
    this.#tables.jobs.remove(job)
    this.#tables.buffer.checkpoint()
  }

  /** URLs of the job that are being fetched now. */
  tasksOut(id: string): number {
    return this.#tables.jobs.get(id).tasks
  }

  /** What jobs make of a URL, the newest first; those that keep things fresh have no seeds, and no view. */
  viewsOf(url: Url, limit: number): JobsView[] {
    const jobs = this.#tables.jobs.all.filter(({ options }) => options.seeds.length > 0)
    return jobs
      .toReversed()
      .slice(0, limit)
      .map((job) => ({
        jobId: job.id,
        seeds: job.options.seeds.slice(0, seedsTold),
        state: job.state,
        browser: job.options.browser,
        isKnown: this.#tables.known.has(url, job),
        outside: job.options.seeds.includes(url.href)
          ? undefined
          : job.scope.refusal({ url, kind: 'navigation', depth: 1, requisiteHops: 0, redirects: 0 }),
      }))
  }
}
