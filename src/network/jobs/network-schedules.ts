// The schedules of a network: announcements that every peer has, so that whoever owns a schedule's place on the ring can begin its
// runs, also when the peer on which it was made is gone.

import { deflateSync, inflateSync } from 'node:zlib'
import { readSchedule } from '../../crawl/jobs/peer-schedules.ts'
import type { ScheduleBook } from '../../crawl/jobs/scheduled-jobs.ts'
import type { JobSchedule } from '../../model/jobs/job-schedule.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AnnouncementKind } from '../announcements/announcement-kind.ts'
import type { Announcements } from '../announcements/announcements.ts'

const textBytesMax = 4 * 1024 * 1024
/** Who has heard of nobody for so long has nobody to hear of. */
const aloneMs = 60_000
/** One that was removed, so that who was away hears of that. */
const removed = Buffer.from('removed')

export const scheduleKind: AnnouncementKind = {
  kind: 'schedule',
  nameBytesMax: 64,
  valueBytesMax: 128 * 1024,
  countMax: 500,
  bytesMax: 2 * 1024 * 1024,
  // Each run changes it.
  changes: { burst: 500, perMinute: 120 },
  fault: ({ name, value }) => {
    if (removed.equals(value)) return /^[0-9a-f]{1,64}$/.test(name) ? undefined : 'its name is none'
    const schedule = read(value)
    if (schedule === undefined) return 'it is no schedule'
    return schedule.id === name ? undefined : 'its name is not its own'
  },
}

export class NetworkSchedules implements ScheduleBook {
  readonly #announcements: Announcements
  readonly #clock: Clock
  readonly #openedAtMs: number
  readonly #schedules = new Map<string, JobSchedule>()
  readonly #stop: () => void

  constructor({ announcements, clock }: { announcements: Announcements; clock: Clock }) {
    this.#announcements = announcements
    this.#clock = clock
    this.#openedAtMs = clock.monotonicMs()
    this.#stop = announcements.follow(scheduleKind.kind, ({ name }) => this.#heard(name))
  }

  /** Whether what is known here is what others know. A peer that was away would make up for runs that another has begun meanwhile; one
   * that hears of nobody is alone. */
  get isCurrent(): boolean {
    return this.#announcements.wasInformed || this.#clock.monotonicMs() - this.#openedAtMs > aloneMs
  }

  /** Those that the peer had when it was alone are the network's from now on. */
  async shareOwn(own: ScheduleBook): Promise<void> {
    for (const schedule of own.all()) {
      if (this.#announcements.get(scheduleKind.kind, schedule.id) === undefined) await this.put(schedule)
      await own.remove(schedule.id)
    }
  }

  close(): void {
    this.#stop()
  }

  all(): readonly JobSchedule[] {
    return [...this.#schedules.values()]
  }

  get(id: string): JobSchedule | undefined {
    return this.#schedules.get(id)
  }

  async put(schedule: JobSchedule): Promise<void> {
    const value = deflateSync(JSON.stringify(schedule))
    await this.#announcements.put(scheduleKind.kind, schedule.id, value)
  }

  async remove(id: string): Promise<void> {
    await this.#announcements.put(scheduleKind.kind, id, removed)
  }

  /** Whatever counts now. */
  #heard(id: string): void {
    const value = this.#announcements.get(scheduleKind.kind, id)?.value
    const schedule = value === undefined || removed.equals(value) ? undefined : read(value)
    if (schedule === undefined) this.#schedules.delete(id)
    else this.#schedules.set(id, schedule)
  }
}

function read(value: Uint8Array): JobSchedule | undefined {
  try {
    return readSchedule(inflateSync(value, { maxOutputLength: textBytesMax }))
  } catch {
    // Bytes of strangers: whatever goes wrong in unpacking them, they are no schedule.
    return undefined
  }
}
