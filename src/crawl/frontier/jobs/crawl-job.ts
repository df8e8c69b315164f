// Crawl job: what somebody wants crawled, how far, and how far it has got.
//
// Identity: a job is named by the hash of its options in canonical form, so that the same command finds the job it
// started before. What does not change the set of URLs (delays, concurrency) is not among them.
// Invariant: counters change in the same transaction as the queue entries they count, so they are exact after a crash.

import { hash } from 'node:crypto'
import type { JobPriority } from '../../../model/jobs/job-service.ts'
import type { BrowserUse } from '../../../model/jobs/site-rule.ts'
import type { MissedByCode } from '../../jobs/job-outcome.ts'
import type { ScopeOptions } from '../../scope/scope.ts'

export interface JobOptions extends ScopeOptions {
  readonly seeds: readonly string[]
  readonly budgets: JobBudgets
  /** Where peers share jobs, each time that one is begun anew is a job of its own: the second is 1, the first has none. */
  readonly run?: number | undefined
  /** Kinds of resources to keep, with commas between: see type-filter.ts. All of them when undefined. */
  readonly types?: string | undefined
  /** Whether the sitemaps of its sites are followed. */
  readonly sitemaps?: true | undefined
  /** Whether its pages are shown in a browser, where no rule says so; as the crawler was started when undefined. */
  readonly browser?: BrowserUse | undefined
}

/** Each is without limit when undefined. Once one is spent nothing more is given out. */
export interface JobBudgets {
  /** Fetches that were no requisites. What pages need is still fetched when the last page has been. */
  readonly pages?: number | undefined
  readonly bytes?: number | undefined
  /** Of running; pauses do not count. */
  readonly timeMs?: number | undefined
  /** URLs taken on per host. */
  readonly pagesPerHost?: number | undefined
}

export type JobState = 'running' | 'paused' | 'done'

export interface JobCounters {
  /** URLs taken on, ever. */
  queued: number
  /** Of these, not done yet. */
  pending: number
  /** Fetches that ended with a response. */
  fetched: number
  /** Of these, no requisites. */
  pages: number
  /** Given up without a response, or not asked for. */
  failed: number
  refused: number
  /** Links turned down. */
  outOfScope: number
  traps: number
  overBudget: number
  bytes: number
  /** Of running. */
  timeMs: number
}

export interface CrawlJob {
  readonly id: string
  readonly options: JobOptions
  readonly state: JobState
  /** Why it ended: 'complete', or the budget that was spent. */
  readonly ending: string | undefined
  readonly counters: Readonly<JobCounters>
  /** Why URLs of it were not kept, by this frontier alone. */
  readonly missed?: MissedByCode | undefined
  readonly createdAtMs: number
  /** Before jobs of lower priority, where not all can be asked at once. */
  readonly priority?: JobPriority | undefined
}

/** What one of several frontiers has of a job that they share. */
export interface JobShare {
  readonly counters: Readonly<JobCounters>
  /** URLs of it that are being fetched. */
  readonly tasks: number
  /** Pages that it may fetch in all; undefined without a budget of pages. */
  readonly allotted: number | undefined
  /** Whatever is left to do are pages, and it may not fetch more of them. */
  readonly isOutOfPages: boolean
  /** Whatever is left to do is held back by rules. */
  readonly isAllHeld: boolean
}

export function noCounts(): JobCounters {
  return {
    queued: 0,
    pending: 0,
    fetched: 0,
    pages: 0,
    failed: 0,
    refused: 0,
    outOfScope: 0,
    traps: 0,
    overBudget: 0,
    bytes: 0,
    timeMs: 0,
  }
}

/** What is wanted of a job, without what does not make it another one. */
export function optionsOf<Request extends { readonly priority?: unknown }>(
  request: Request,
): Omit<Request, 'priority'> {
  const { priority: _, ...options } = request
  return options
}

const idHexDigits = 20

export function jobIdOf(options: JobOptions): string {
  return hash('sha256', canonicalJson(options), 'hex').slice(0, idHexDigits)
}

/** Names in order, undefined left out, seeds as a set: options that mean the same are written the same. */
function canonicalJson(options: JobOptions): string {
  return JSON.stringify({ ...options, seeds: [...new Set(options.seeds)].sort() }, (_name, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
