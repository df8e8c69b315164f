// Scheduled jobs: crawls that are begun at their times, by this peer or, where there are several, by the one that owns the schedule.
//
// Invariants: a run is begun once for each time that is due, also where peers disagree for a moment who owns it, and after a crash:
// a job that was begun since its time is that run. Times that were missed are made up for by one run. A run that is not over when
// the next is due goes on, and the next begins after it.

import { hash } from 'node:crypto'
import * as v from 'valibot'
import { PolyhistorError } from '../../errors.ts'
import {
  type JobSchedule,
  type JobTimes,
  nextRunMs,
  type ScheduledRun,
  type ScheduleService,
} from '../../model/jobs/job-schedule.ts'
import type { JobRequest, JobService } from '../../model/jobs/job-service.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { PeriodicTask } from '../../platform/periodic-task.ts'
import { scheduleSchema } from './schedule-schema.ts'

/** Where schedules are kept: by this peer alone, or by a network. */
export interface ScheduleBook {
  all(): readonly JobSchedule[]
  get(id: string): JobSchedule | undefined
  /** Resolves when it is sure to last. */
  put(schedule: JobSchedule): Promise<void>
  remove(id: string): Promise<void>
}

interface Needs {
  readonly clock: Clock
  readonly log: Log
  readonly book: ScheduleBook
  readonly jobs: Pick<JobService, 'last' | 'start'>
  /** Whether this peer is to begin its runs. */
  isOurs(id: string): boolean
}

class ScheduleError extends PolyhistorError {}

const lookMs = 2_000
export const runsMax = 20
const idHexDigits = 20
const schedulesMax = 1_000

export class ScheduledJobs implements ScheduleService {
  readonly #needs: Needs
  #looks: PeriodicTask | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  start(): void {
    this.#looks = new PeriodicTask(this.#needs, lookMs, () => this.#look())
  }

  async close(): Promise<void> {
    await this.#looks?.close()
  }

  list(): readonly JobSchedule[] {
    return [...this.#needs.book.all()].sort((left, right) => right.createdAtMs - left.createdAtMs)
  }

  /** The same once more is the one that there is, and goes on if it was paused. */
  async add(request: JobRequest, times: JobTimes): Promise<JobSchedule> {
    const { book, clock } = this.#needs
    const id = hash('sha256', JSON.stringify([request, times]), 'hex').slice(0, idHexDigits)
    const before = book.get(id)
    if (before === undefined && book.all().length >= schedulesMax)
      throw new ScheduleError(
        'schedules-full',
        `There are ${schedulesMax} schedules already. Remove some first.`,
      )
    const createdAtMs = Math.floor(clock.nowMs())
    const wanted = { ...{ id, request, times, createdAtMs, runs: [] }, ...before, isPaused: false }
    const checked = v.safeParse(scheduleSchema, JSON.parse(JSON.stringify(wanted)))
    if (!checked.success) throw new ScheduleError('schedule-malformed', checked.issues[0].message)
    const schedule = checked.output as JobSchedule
    await book.put(schedule)
    return schedule
  }

  pause(id: string): Promise<JobSchedule> {
    return this.#change(id, { isPaused: true })
  }

  resume(id: string): Promise<JobSchedule> {
    return this.#change(id, { isPaused: false })
  }

  async remove(id: string): Promise<void> {
    this.#get(id)
    await this.#needs.book.remove(id)
  }

  #get(id: string): JobSchedule {
    const schedule = this.#needs.book.get(id)
    if (schedule !== undefined) return schedule
    throw new ScheduleError('schedule-unknown', `There is no schedule ${id.slice(0, 40)}.`)
  }

  async #change(id: string, change: Pick<JobSchedule, 'isPaused'>): Promise<JobSchedule> {
    const schedule = { ...this.#get(id), ...change }
    await this.#needs.book.put(schedule)
    return schedule
  }

  async #look(): Promise<void> {
    const { book, clock, log, isOurs } = this.#needs
    for (const schedule of book.all()) {
      const dueMs = nextRunMs(schedule)
      if (dueMs === undefined || dueMs > clock.nowMs() || !isOurs(schedule.id)) continue
      try {
        await this.#run(schedule, dueMs)
      } catch (error) {
        // It is due still, and looked at again.
        if (!(error instanceof PolyhistorError)) throw error
        log.warn({ err: error, schedule: schedule.id }, 'A scheduled crawl could not be begun')
      }
    }
  }

  async #run(schedule: JobSchedule, dueMs: number): Promise<void> {
    const { book, clock, jobs } = this.#needs
    const { request, runs } = schedule
    const last = await jobs.last(request)
    const isBegun = last !== undefined && last.createdAtMs >= dueMs
    if (!isBegun && last !== undefined && last.state !== 'done') return
    const job = isBegun ? last : await jobs.start(request)
    const [before, ...older] = runs
    const ended: ScheduledRun[] = before === undefined ? [] : [{ ...before, ...endOf(last, isBegun) }]
    const run = { atMs: Math.floor(Math.max(dueMs, clock.nowMs())), jobId: job.id }
    // It may have been changed, or removed, meanwhile.
    const now = book.get(schedule.id)
    if (now !== undefined) await book.put({ ...now, runs: [run, ...ended, ...older].slice(0, runsMax) })
  }
}

/** What became of the run before, as far as it is still known. */
function endOf(
  last: Awaited<ReturnType<JobService['last']>>,
  isBegun: boolean,
): Pick<ScheduledRun, 'ending' | 'fetched' | 'failed'> {
  if (last === undefined || isBegun) return {}
  return { ending: last.ending, fetched: last.counters.fetched, failed: last.counters.failed }
}
