// Host abandonment: which hosts are not asked for now, and which retries a job does not wait for.
//
// Invariants: what is queued for a host in an outage (host-outage.ts) is given up without asking; but a seed of a job that
// was begun since asks once more, for its owner may have mended the server. A job waits for retries only as long as it
// has other work, and retryWaitMs after that.
// What is given up is dropped by the fetch scheduler.

import type { MissedReason } from '../jobs/job-outcome.ts'
import {
  type HostFailure,
  isGivenUpAtOnce,
  isInForce,
  isOutFor,
  nextOutage,
  schemeOf,
} from '../politeness/host-outage.ts'
import { isDown, paceAfter, paceForgiven } from '../politeness/host-pace.ts'
import type { PolitenessRules } from '../politeness/politeness-rules.ts'
import type { FetchResult } from './fetch-task.ts'
import type { FrontierTables } from './frontier-tables.ts'
import type { Host } from './host-table.ts'
import type { Job } from './jobs/job-table.ts'
import type { Lane } from './lanes/lane.ts'

type Parts = Pick<FrontierTables, 'lanes' | 'hosts'> & { rules: PolitenessRules }

const unexplained: MissedReason = { code: 'host-down', reason: 'it did not answer' }
const busy: MissedReason = { code: 'server-busy', reason: 'it asked to come later' }

export class HostAbandonment {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** A request of the host has ended: its pace, and whether it is in an outage from now on. */
  asked(host: Host, href: string, result: FetchResult, endedAtMs: number): void {
    const { hosts } = this.#parts
    const rules = hosts.politenessTo(host)
    host.lastEndedAtMs = Math.max(host.lastEndedAtMs ?? 0, endedAtMs)
    const event = eventOf(result, endedAtMs)
    hosts.change(host, paceAfter(host.pace, event, rules))
    const scheme = schemeOf(href)
    if (event.kind === 'response') {
      host.answeredAtMs[scheme] = endedAtMs
      host.trouble = undefined
      if (host.outage?.scheme === undefined || host.outage.scheme === scheme) host.outage = undefined
      return
    }
    host.trouble = result.missed ?? unexplained
    const failure = { ...host.trouble, scheme, isFinal: result.retry === 'never' }
    if (isGivenUpAtOnce(failure, host.outage, host.answeredAtMs[scheme], endedAtMs))
      this.#begin(host, failure, endedAtMs)
    else if (isDown(host.pace, rules)) this.#begin(host, { ...failure, scheme: undefined }, endedAtMs)
  }

  /** Why the lane's first URL is given up without asking; undefined when it is not. */
  reasonFor(lane: Lane, job: Job, nowMs: number): MissedReason | undefined {
    if (lane.givenUp !== undefined) return lane.peek() && lane.givenUp
    const { outage } = lane.host!
    if (!isInForce(outage, nowMs)) return undefined
    const first = lane.peek()?.entry
    if (first === undefined || !isOutFor(outage, first.href, nowMs)) return undefined
    const asksAgain = job.createdAtMs > outage.atMs && first.kind === 'seed'
    return asksAgain ? undefined : outage
  }

  /** Gives up what the job would only wait for, later than it waits. True when there was something. */
  giveUpLate(job: Job, nowMs: number, readyAtMs: (host: Host) => number): boolean {
    job.workedAtMs ??= nowMs
    if (job.tasks > 0) return false
    const { lanes, rules } = this.#parts
    const waiting = lanes.waitingOf(job.number, nowMs, (lane) => waitsForRetry(lane, nowMs, readyAtMs))
    if (waiting === undefined) return false
    const untilMs = job.workedAtMs + rules.retryWaitMs
    const late = waiting.filter((lane) => readyAtMs(lane.host!) > untilMs)
    for (const lane of late) this.#giveUp(lane, nowMs)
    lanes.hurry(late)
    return late.length > 0
  }

  #giveUp(lane: Lane, nowMs: number): void {
    const host = lane.host!
    const { code, reason } = host.trouble ?? host.heldFor ?? busy
    lane.givenUp = { code, reason }
    if (host.trouble !== undefined && !hasAnswered(host))
      this.#begin(host, { code, reason, scheme: undefined, isFinal: false }, nowMs)
  }

  #begin(host: Host, failure: HostFailure, nowMs: number): void {
    const { hosts } = this.#parts
    host.outage = nextOutage(host.outage, failure, nowMs)
    hosts.change(host, paceForgiven(host.pace, host.lastEndedAtMs, hosts.politenessTo(host)))
  }
}

/** Nothing of it is new: it waits until its host is tried again. */
function waitsForRetry(lane: Lane, nowMs: number, readyAtMs: (host: Host) => number): boolean {
  const host = lane.host!
  if (readyAtMs(host) <= nowMs) return false
  const isSilent = host.pace.failuresInRow > 0 && !hasAnswered(host)
  return host.heldUntilMs > nowMs || isSilent || lane.isAllRetries
}

/** In this process. */
function hasAnswered({ answeredAtMs }: Host): boolean {
  return answeredAtMs['http:'] !== undefined || answeredAtMs['https:'] !== undefined
}

/** What a request means for a host's pace. */
function eventOf(result: FetchResult, endedAtMs: number): Parameters<typeof paceAfter>[1] {
  const responseMs = result.responseMs ?? 0
  if (result.outcome === 'failed' && !result.hasAnswered) return { kind: 'failure', endedAtMs, responseMs }
  return {
    kind: 'response',
    endedAtMs,
    responseMs,
    status: result.status ?? 0,
    retryAfter: result.retryAfter,
  }
}
