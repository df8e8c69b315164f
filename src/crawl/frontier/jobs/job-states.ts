// Job states: what makes a job run, pause and end. A job that several peers share ends when all of them say so.

import type { SteadyClock } from '../../../platform/steady-clock.ts'
import type { FrontierTables } from '../frontier-tables.ts'
import { deniedEnding } from '../held-urls.ts'
import type { Job } from './job-table.ts'

type Parts = Pick<FrontierTables, 'lanes' | 'jobs' | 'door'> & { clock: SteadyClock }

export class JobStates {
  readonly #lanes: Parts['lanes']
  readonly #jobs: Parts['jobs']
  readonly #door: Parts['door']
  readonly #clock: SteadyClock

  constructor({ lanes, jobs, door, clock }: Parts) {
    this.#lanes = lanes
    this.#jobs = jobs
    this.#door = door
    this.#clock = clock
  }

  pause(job: Job): void {
    this.countTime(job)
    if (job.state === 'running') job.state = 'paused'
    job.countedAtMs = undefined
    this.#lanes.evict(job.number, this.#clock.nowMs())
    this.#jobs.noteChange(job)
  }

  resume(job: Job): void {
    job.state = 'running'
    job.workedAtMs = undefined
    this.#jobs.noteChange(job)
  }

  prioritize(job: Job, priority: Job['priority']): void {
    job.priority = priority
    this.#jobs.noteChange(job)
  }

  cancel(job: Job): void {
    this.countTime(job)
    if (job.state !== 'done') this.#endJob(job, 'cancelled')
  }

  /** It is in this state from now on, whatever it was. */
  settle(job: Job, state: Job['state'], ending: string | undefined): void {
    this.countTime(job)
    job.state = state
    job.ending = ending
    if (state !== 'running') {
      job.countedAtMs = undefined
      this.#lanes.evict(job.number, this.#clock.nowMs())
    }
    this.#jobs.noteChange(job)
  }

  countTime(job: Job): void {
    if (job?.state !== 'running') return
    const nowMs = this.#clock.nowMs()
    job.counters.timeMs += Math.max(0, nowMs - (job.countedAtMs ?? nowMs))
    job.countedAtMs = nowMs
    this.#jobs.noteChange(job)
  }

  checkBudgets(job: Job): void {
    this.countTime(job)
    if (this.isShared(job)) return
    const spent = job.spent()
    if (spent !== undefined) this.#endJob(job, spent)
  }

  #endJob(job: Job, ending: string): void {
    job.state = 'done'
    job.ending = ending
    this.#lanes.evict(job.number, this.#clock.nowMs())
    this.#jobs.noteChange(job)
  }

  timeLeftMs(job: Job): number {
    return this.isShared(job) ? Number.POSITIVE_INFINITY : job.timeLeftMs
  }

  /** It ends when all peers say so. The one without seeds, which visits again what is known, is each peer's own. */
  isShared({ options }: Job): boolean {
    return this.#door.isShared && options.seeds.length > 0
  }

  endIfOver(job: Job, nowMs: number): void {
    if (job.tasks > 0 || this.isShared(job)) return
    if (job.counters.pending === 0) this.#endJob(job, 'complete')
    else if (this.#lanes.isAllHeld(job.number)) this.#endJob(job, deniedEnding)
    else if (!job.hasPagesLeft && !this.#lanes.hasUnparked(job.number, nowMs)) {
      this.#endJob(job, `budget of ${job.options.budgets.pages} pages is spent`)
    }
  }
}
