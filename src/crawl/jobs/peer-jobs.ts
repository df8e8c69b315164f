// The crawl jobs of a running peer: begun, paused, followed and ended from outside while the crawler works.

import type {
  JobDetails,
  JobLogFilter,
  JobLogLine,
  JobRequest,
  JobService,
  JobView,
} from '../../model/jobs/job-service.ts'
import { type CrawlCounts, type CrawlEvent, noCrawlCounts } from '../crawl-report.ts'
import type { CrawlLog } from '../frontier/crawl-log.ts'
import type { Frontier } from '../frontier/frontier.ts'
import { type CrawlJob, type JobOptions, jobIdOf, optionsOf } from '../frontier/jobs/crawl-job.ts'
import { checkTypes } from '../scope/type-filter.ts'
import { JobError } from './job-error.ts'
import { adviceOn, missingParts, outcomeOf } from './job-outcome.ts'

interface Needs {
  readonly crawler: { readonly frontier: Frontier }
  readonly crawlLog: CrawlLog
  /** Something was begun or goes on. */
  wake(): void
}

/** Hosts that are told of. */
const hostsMax = 500

export class PeerJobs implements JobService {
  readonly #needs: Needs
  /** Since the job was begun or went on, in this process. */
  readonly #counts = new Map<string, CrawlCounts>()

  #trouble: { code: string; message: string } | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Crawling cannot go on: our own disk or index failed. */
  stopped(error: unknown): void {
    const { code = 'fault', message } = error as { code?: string; message: string }
    this.#trouble = { code, message }
  }

  /** It goes on. */
  recovered(): void {
    this.#trouble = undefined
  }

  trouble(): { code: string; message: string } | undefined {
    return this.#trouble
  }

  /** What the crawler tells of each URL. */
  happened(event: CrawlEvent): void {
    const counts = this.countsOf(event.jobId)
    count(counts, event)
  }

  list(): JobView[] {
    const { frontier } = this.#needs.crawler
    return frontier.jobs
      .all()
      .map((job) => this.#view(job))
      .sort((left, right) => right.createdAtMs - left.createdAtMs)
  }

  find(id: string): JobView | undefined {
    const job = this.#needs.crawler.frontier.jobs.find(id)
    return job && this.#view(job)
  }

  /** As the command does: a new one begins, a paused one goes on, one that was done begins anew. */
  start(request: JobRequest): JobView {
    if (this.#trouble !== undefined)
      throw new JobError('crawling-stopped', `Nothing is crawled at present: ${this.#trouble.message}`)
    const { frontier } = this.#needs.crawler
    const options = jobOptions(request)
    const before = frontier.jobs.find(jobIdOf(options))
    if (before !== undefined) frontier.jobs.prioritize(before.id, request.priority ?? 'normal')
    if (before?.state === 'running') return this.find(before.id)!
    this.#counts.delete(jobIdOf(options))
    if (before?.state === 'paused') return this.resume(before.id)
    if (before !== undefined && frontier.jobs.tasksOut(before.id) > 0) {
      throw new JobError('job-still-ending', 'Visits of this job are still ending. Try again in a moment.')
    }
    const { id } = before === undefined ? frontier.jobs.open(options) : frontier.jobs.restart(before.id)
    frontier.jobs.prioritize(id, request.priority ?? 'normal')
    this.#needs.wake()
    return this.find(id)!
  }

  details(id: string): JobDetails {
    const { frontier } = this.#needs.crawler
    if (frontier.jobs.find(id) === undefined) return { hosts: [], areHostsAll: true, peers: [] }
    const { hosts, isAll } = frontier.jobs.hostsOf(id, hostsMax)
    return { hosts, areHostsAll: isAll, peers: [] }
  }

  last(request: JobRequest): JobView | undefined {
    return this.find(jobIdOf(jobOptions(request)))
  }

  pause(id: string): JobView {
    this.#needs.crawler.frontier.jobs.pause(id)
    return this.find(id)!
  }

  resume(id: string): JobView {
    const { frontier } = this.#needs.crawler
    frontier.jobs.resume(id)
    this.#needs.wake()
    return this.find(id)!
  }

  cancel(id: string): JobView {
    this.#needs.crawler.frontier.jobs.cancel(id)
    // Nothing may be left for the crawler to wait for.
    this.#needs.wake()
    return this.find(id)!
  }

  log(filter: JobLogFilter): AsyncIterable<JobLogLine> {
    return this.#needs.crawlLog.read(filter)
  }

  #view(job: CrawlJob): JobView {
    const { id, options, state, ending, createdAtMs, counters, priority } = job
    return {
      id,
      ...options,
      priority,
      state,
      ending,
      ...endOf(job),
      createdAtMs,
      counters,
      counts: { ...this.countsOf(id) },
      underWay: this.#needs.crawler.frontier.jobs.tasksOut(id),
    }
  }

  /** Since the job was begun or went on, in this process. */
  countsOf(id: string): CrawlCounts {
    let counts = this.#counts.get(id)
    if (counts === undefined) this.#counts.set(id, (counts = noCrawlCounts()))
    return counts
  }
}

/** What makes a request the job that it is. Throws ScopeError. */
export function jobOptions(request: JobRequest): JobOptions {
  return { ...optionsOf(request), types: request.types && checkTypes(request.types) }
}

/** How a job ended, for people and scripts. */
export function endOf(job: Parameters<typeof outcomeOf>[0]): Pick<JobView, 'outcome' | 'missing' | 'advice'> {
  return { outcome: outcomeOf(job), missing: missingParts(job.missed), advice: adviceOn(job.missed) }
}

/** As Crawl counts for all jobs together. */
function count(counts: CrawlCounts, { outcome, bytes = 0 }: CrawlEvent): void {
  counts.bytes += bytes
  switch (outcome) {
    case 'new':
    case 'changed':
    case 'same':
      counts[outcome]++
      counts.fetched++
      break
    case 'not-kept':
      counts.fetched++
      break
    case 'failed':
      counts.failed++
      break
    case 'refused':
      counts.refused++
      break
    case 'retry':
  }
}
