// The crawl jobs of a running peer: begun, paused, followed and ended from outside while the crawler works.

import type { JobLogFilter, JobLogLine, JobRequest, JobService, JobView } from '../../model/job-service.ts'
import { type CrawlCounts, type CrawlEvent, noCrawlCounts } from '../crawl-report.ts'
import type { CrawlLog } from '../frontier/crawl-log.ts'
import type { Frontier } from '../frontier/frontier.ts'
import { type CrawlJob, type JobOptions, jobIdOf } from '../frontier/jobs/crawl-job.ts'
import { checkTypes } from '../scope/type-filter.ts'
import { JobError } from './job-error.ts'
import { adviceOn, missingParts, outcomeOf } from './job-outcome.ts'

interface Needs {
  readonly crawler: { readonly frontier: Frontier }
  readonly crawlLog: CrawlLog
  /** Something was begun or goes on. */
  wake(): void
}

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
    return frontier
      .jobs()
      .map((job) => this.#view(job))
      .sort((left, right) => right.createdAtMs - left.createdAtMs)
  }

  find(id: string): JobView | undefined {
    const job = this.#needs.crawler.frontier.job(id)
    return job && this.#view(job)
  }

  /** As the command does: a new one begins, a paused one goes on, one that was done begins anew. */
  start(request: JobRequest): JobView {
    if (this.#trouble !== undefined)
      throw new JobError('crawling-stopped', `Nothing is crawled at present: ${this.#trouble.message}`)
    const { frontier } = this.#needs.crawler
    const options: JobOptions = { ...request, types: request.types && checkTypes(request.types) }
    const before = frontier.job(jobIdOf(options))
    if (before?.state === 'running') return this.#view(before)
    this.#counts.delete(jobIdOf(options))
    if (before?.state === 'paused') return this.resume(before.id)
    if (before !== undefined && frontier.tasksOut(before.id) > 0) {
      throw new JobError('job-still-ending', 'Visits of this job are still ending. Try again in a moment.')
    }
    const job = before === undefined ? frontier.openJob(options) : frontier.restartJob(before.id)
    this.#needs.wake()
    return this.#view(job)
  }

  pause(id: string): JobView {
    this.#needs.crawler.frontier.pauseJob(id)
    return this.find(id)!
  }

  resume(id: string): JobView {
    const { frontier } = this.#needs.crawler
    frontier.resumeJob(id)
    this.#needs.wake()
    return this.find(id)!
  }

  cancel(id: string): JobView {
    this.#needs.crawler.frontier.cancelJob(id)
    // Nothing may be left for the crawler to wait for.
    this.#needs.wake()
    return this.find(id)!
  }

  log(filter: JobLogFilter): AsyncIterable<JobLogLine> {
    return this.#needs.crawlLog.read(filter)
  }

  #view(job: CrawlJob): JobView {
    const { id, options, state, ending, createdAtMs, counters } = job
    return {
      id,
      ...options,
      state,
      ending,
      ...endOf(job),
      createdAtMs,
      counters,
      counts: { ...this.countsOf(id) },
      underWay: this.#needs.crawler.frontier.tasksOut(id),
    }
  }

  /** Since the job was begun or went on, in this process. */
  countsOf(id: string): CrawlCounts {
    let counts = this.#counts.get(id)
    if (counts === undefined) this.#counts.set(id, (counts = noCrawlCounts()))
    return counts
  }
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
