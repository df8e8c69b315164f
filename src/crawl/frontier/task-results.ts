// Task results: what becomes of a queued URL when its fetch has ended. It is tried again or leaves the queue, and its job counts it.

import type { SteadyClock } from '../../platform/steady-clock.ts'
import type { MissedReason } from '../jobs/job-outcome.ts'
import { isOutFor } from '../politeness/host-outage.ts'
import type { PolitenessRules } from '../politeness/politeness-rules.ts'
import type { Completion, FetchResult } from './fetch-task.ts'
import type { FrontierTables } from './frontier-tables.ts'
import type { Host } from './host-table.ts'
import type { Job } from './jobs/job-table.ts'
import type { Lane } from './lanes/lane.ts'
import type { Ranked } from './lanes/lane-queue.ts'
import { rankAgain } from './lanes/queue-entry.ts'

type Parts = Pick<FrontierTables, 'lanes' | 'jobs'> & { clock: SteadyClock; rules: PolitenessRules }

/** A URL that was given out, and where it is queued. */
export interface QueuedTask {
  readonly lane: Lane
  readonly host: Host
  readonly job: Job
  readonly ranked: Ranked
}

export class TaskResults {
  readonly #lanes: Parts['lanes']
  readonly #jobs: Parts['jobs']
  readonly #clock: SteadyClock
  readonly #rules: PolitenessRules

  constructor({ lanes, jobs, clock, rules }: Parts) {
    this.#lanes = lanes
    this.#jobs = jobs
    this.#clock = clock
    this.#rules = rules
  }

  completionOf({ ranked, host }: QueuedTask, result: FetchResult): Completion {
    const isRefusal = result.status === 429 || result.status === 503
    const mayHelp = result.outcome === 'failed' || (result.outcome === 'fetched' && isRefusal)
    if (!mayHelp || result.retry === 'never') return { kind: 'done' }
    if (isOutFor(host.outage, ranked.entry.href, this.#clock.nowMs()))
      return { kind: 'gave-up', reason: 'the host is given up for now' }
    const attempts = ranked.entry.attempt + 1
    const attemptsLeft = this.#rules.attemptsMax - attempts
    if (attemptsLeft <= 0) return { kind: 'gave-up', reason: `tried ${attempts} times` }
    return { kind: 'again', afterMs: host.pace.nextAtMs, attemptsLeft }
  }

  queueAgain({ lane, ranked }: QueuedTask): void {
    const entry = { ...ranked.entry, attempt: ranked.entry.attempt + 1 }
    lane.queue.remove(ranked)
    lane.added(lane.queue.put(rankAgain(ranked.rank, this.#jobs.nextSequence()), entry))
  }

  finish({ job, lane, ranked }: QueuedTask, result: FetchResult, completion: Completion): void {
    this.removeQueued(job, lane, ranked)
    const { counters } = job
    const isLost = result.outcome === 'failed' || result.outcome === 'unreached'
    const missed = result.missed ?? (completion.kind === 'gave-up' ? toldToWait(result) : undefined)
    if (missed !== undefined) job.miss(missed, ranked.entry)
    for (const part of result.missedParts ?? []) job.miss(part.missed, { href: part.href, kind: 'requisite' })
    if (result.outcome === 'refused') counters.refused++
    else if (isLost || completion.kind === 'gave-up') counters.failed++
    else {
      counters.fetched++
      if (ranked.entry.requisiteHops === 0) counters.pages++
    }
  }

  removeQueued(job: Job, lane: Lane, ranked: Ranked): void {
    lane.queue.remove(ranked)
    lane.pending--
    job.counters.pending--
    this.#lanes.noteChange(lane)
    this.#jobs.noteChange(job)
  }
}

function toldToWait({ status }: FetchResult): MissedReason {
  return { code: 'server-busy', reason: `status ${status}` }
}
