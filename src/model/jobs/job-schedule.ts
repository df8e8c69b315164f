// Job schedule: when a crawl is begun: once, every so often, or as cron says.
//
// A time that was missed, since nobody was there, is made up for once, however many were missed.

import type { Awaitable } from '../listed.ts'
import { nextCronMs, parseCron } from './cron.ts'
import type { JobRequest } from './job-service.ts'

export type JobTimes =
  | { readonly kind: 'once'; readonly atMs: number }
  | { readonly kind: 'every'; readonly everyMs: number }
  | { readonly kind: 'cron'; readonly cron: string }

export interface ScheduledRun {
  readonly atMs: number
  readonly jobId: string
  /** How it went, written down when the next one begins. */
  readonly ending?: string | undefined
  readonly fetched?: number | undefined
  readonly failed?: number | undefined
}

export interface JobSchedule {
  readonly id: string
  readonly request: JobRequest
  readonly times: JobTimes
  readonly isPaused: boolean
  readonly createdAtMs: number
  /** The newest first, a bounded number. */
  readonly runs: readonly ScheduledRun[]
}

/** When the next run is due; undefined when there is none. */
export function nextRunMs({ times, createdAtMs, runs, isPaused }: JobSchedule): number | undefined {
  if (isPaused) return undefined
  const lastMs = runs[0]?.atMs
  switch (times.kind) {
    case 'once':
      return lastMs === undefined ? times.atMs : undefined
    case 'every':
      // The first at once.
      return lastMs === undefined ? createdAtMs : lastMs + times.everyMs
    case 'cron':
      return nextCronMs(parseCron(times.cron), lastMs ?? createdAtMs)
  }
}

/** Unknown ids throw 'schedule-unknown'. */
export interface ScheduleService {
  list(): Awaitable<readonly JobSchedule[]>
  add(request: JobRequest, times: JobTimes): Awaitable<JobSchedule>
  pause(id: string): Awaitable<JobSchedule>
  resume(id: string): Awaitable<JobSchedule>
  remove(id: string): Awaitable<void>
}
