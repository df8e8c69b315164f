// The schedules of a peer without a network, kept with its jobs.

import * as v from 'valibot'
import type { JobSchedule } from '../../model/jobs/job-schedule.ts'
import type { BufferedTable } from '../frontier/write-buffer.ts'
import { scheduleSchema } from './schedule-schema.ts'
import type { ScheduleBook } from './scheduled-jobs.ts'

/** Behind the jobs and their counters. */
const keyPrefix = 'S'
const afterAll = Buffer.from('T')

export class PeerSchedules implements ScheduleBook {
  readonly #table: BufferedTable
  readonly #flush: () => Promise<void>
  readonly #schedules = new Map<string, JobSchedule>()

  constructor(table: BufferedTable, flush: () => Promise<void>) {
    this.#table = table
    this.#flush = flush
    for (const [, stored] of table.range(Buffer.from(keyPrefix), afterAll)) {
      const schedule = readSchedule(stored)
      if (schedule !== undefined) this.#schedules.set(schedule.id, schedule)
    }
  }

  all(): readonly JobSchedule[] {
    return [...this.#schedules.values()]
  }

  get(id: string): JobSchedule | undefined {
    return this.#schedules.get(id)
  }

  async put(schedule: JobSchedule): Promise<void> {
    this.#schedules.set(schedule.id, schedule)
    this.#table.put(keyOf(schedule.id), Buffer.from(JSON.stringify(schedule)))
    await this.#flush()
  }

  async remove(id: string): Promise<void> {
    this.#schedules.delete(id)
    this.#table.remove(keyOf(id))
    await this.#flush()
  }
}

/** undefined for a damaged one. */
export function readSchedule(stored: Uint8Array): JobSchedule | undefined {
  try {
    const read = v.safeParse(scheduleSchema, JSON.parse(Buffer.from(stored).toString()))
    return read.success ? (read.output as JobSchedule) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function keyOf(id: string): Buffer {
  return Buffer.from(`${keyPrefix}${id}`)
}
