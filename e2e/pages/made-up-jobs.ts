// Crawls that do what a test says.

import type {
  JobDetails,
  JobLogLine,
  JobRequest,
  JobService,
  JobView,
} from '../../src/model/jobs/job-service.ts'

const beganAtMs = Date.parse('2026-03-01T09:30:00Z')

export class MadeUpJobs implements JobService {
  readonly #jobs = new Map<string, JobView>()
  watch: (line: JobLogLine) => void = () => {}

  list(): JobView[] {
    return [...this.#jobs.values()].reverse()
  }

  find(id: string): JobView | undefined {
    return this.#jobs.get(id)
  }

  last(): undefined {
    return undefined
  }

  details(): JobDetails {
    return {
      hosts: [{ host: 'a.example', queued: 120, pending: 18 }],
      areHostsAll: true,
      peers: [],
    }
  }

  start(request: JobRequest): JobView {
    const job = madeUp(`job${this.#jobs.size + 1}`, request)
    this.#jobs.set(job.id, job)
    return job
  }

  pause(id: string): JobView {
    return this.change(id, { state: 'paused' })
  }

  resume(id: string): JobView {
    return this.change(id, { state: 'running' })
  }

  /** Everything was tried: as in the real crawler nothing is pending then. */
  complete(id: string, missing: JobView['missing']): JobView {
    const { counters } = this.#jobs.get(id)!
    const failed = missing.reduce((sum, { count }) => sum + count, 0)
    return this.change(id, {
      state: 'done',
      ending: 'complete',
      outcome: missing.length === 0 ? 'complete' : 'partly',
      missing,
      counters: { ...counters, failed, queued: counters.fetched + failed, pending: 0 },
      underWay: 0,
    })
  }

  cancel(id: string): JobView {
    return this.change(id, { state: 'done', ending: 'cancelled' })
  }

  change(id: string, change: Partial<JobView>): JobView {
    const job = { ...this.#jobs.get(id)!, ...change }
    this.#jobs.set(id, job)
    return job
  }

  /** A URL was fetched. */
  fetched(id: string, line: Pick<JobLogLine, 'url' | 'outcome' | 'atMs'> & Partial<JobLogLine>): void {
    const { counters, counts } = this.#jobs.get(id)!
    const bytes = line.bytes ?? 15_000
    this.change(id, {
      counters: {
        ...counters,
        fetched: counters.fetched + 1,
        pending: Math.max(0, counters.pending - 1),
        bytes: counters.bytes + bytes,
      },
      counts: { ...counts, fetched: counts.fetched + 1, new: counts.new + 1, bytes: counts.bytes + bytes },
    })
    this.watch({ jobId: id, bytes, status: 200, ...line })
  }

  trouble(): undefined {
    return undefined
  }

  async *log(): AsyncGenerator<JobLogLine> {}
}

function madeUp(id: string, request: JobRequest): JobView {
  return {
    ...request,
    id,
    state: 'running',
    ending: undefined,
    outcome: undefined,
    missing: [],
    advice: undefined,
    createdAtMs: beganAtMs,
    counters: { queued: 40, pending: 40, fetched: 0, pages: 0, failed: 0, refused: 0, bytes: 0, timeMs: 0 },
    counts: { fetched: 0, new: 0, changed: 0, same: 0, failed: 0, refused: 0, bytes: 0 },
    underWay: 1,
  }
}
