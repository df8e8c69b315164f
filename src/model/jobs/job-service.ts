// What the API asks of the crawler: jobs to begin, follow and end. `app/` gives it: of one peer, or of a whole network.

import type { Awaitable } from '../listed.ts'
import type { JobMissing } from './job-missing.ts'
import type { BrowserUse } from './site-rule.ts'

export const jobScopes = ['page', 'prefix', 'host', 'site', 'any'] as const

export const jobPriorities = ['low', 'normal', 'high'] as const
export type JobPriority = (typeof jobPriorities)[number]

export interface JobRequest {
  readonly seeds: readonly string[]
  readonly scope: (typeof jobScopes)[number]
  readonly depth?: number | undefined
  /** Regular expressions on URLs. */
  readonly include?: readonly string[] | undefined
  readonly exclude?: readonly string[] | undefined
  /** Kinds of resources to keep, with commas between; all when undefined. */
  readonly types?: string | undefined
  readonly sitemaps?: true | undefined
  /** Whether pages are shown in a browser; as the peer is set when undefined. */
  readonly browser?: BrowserUse | undefined
  /** Where not everything can be fetched at once; normal unless told. Changes nothing of what is fetched. */
  readonly priority?: JobPriority | undefined
  readonly budgets: JobRequestBudgets
}

interface JobRequestBudgets {
  readonly pages?: number | undefined
  readonly bytes?: number | undefined
  readonly timeMs?: number | undefined
}

type JobState = 'running' | 'paused' | 'done'

export interface JobView extends JobRequest {
  readonly id: string
  readonly state: JobState
  /** Why it ended: 'complete', 'cancelled', or the budget that was spent. */
  readonly ending: string | undefined
  /** What became of it; undefined while it is not over. */
  readonly outcome: 'complete' | 'partly' | 'nothing' | undefined
  /** What was not kept, by reason, the most frequent first. Of a network's job: as far as this peer tried. */
  readonly missing: readonly JobMissing[]
  /** What its owner can do about that, if there is something. */
  readonly advice: string | undefined
  readonly createdAtMs: number
  /** Since its beginning, exact. */
  readonly counters: Readonly<
    Record<'queued' | 'pending' | 'fetched' | 'pages' | 'failed' | 'refused' | 'bytes' | 'timeMs', number>
  >
  /** Since it was begun or went on in this run of the peer. */
  readonly counts: Readonly<
    Record<'fetched' | 'new' | 'changed' | 'same' | 'failed' | 'refused' | 'bytes', number>
  >
  /** URLs being fetched now. */
  readonly underWay: number
  /** Peers of the network that went without a word: the end of a job is not known before they are back or given up. */
  readonly awaited?: number | undefined
}

/** Who did what of a job, and where. */
export interface JobDetails {
  /** In no particular order; the first of each peer. */
  readonly hosts: readonly JobHost[]
  readonly areHostsAll: boolean
  /** Where several work on it. */
  readonly peers: readonly JobPeer[]
  /** What was not kept, by reason, of all peers that answered; undefined where there is one. */
  readonly missing?: readonly JobMissing[] | undefined
  /** Peers whose hosts and reasons are not among these: they do not answer. */
  readonly silent?: number | undefined
}

export interface JobHost {
  readonly host: string
  readonly queued: number
  readonly pending: number
  /** Who crawls it, where there are several. */
  readonly peer?: string | undefined
}

export interface JobPeer
  extends Readonly<Record<'fetched' | 'failed' | 'refused' | 'pending' | 'bytes', number>> {
  readonly peer: string
}

export interface JobLogLine {
  /** Milliseconds since 1970. */
  readonly atMs: number
  readonly jobId: string
  readonly url: string
  /** As of CrawlEvent. */
  readonly outcome: string
  /** Why it was not kept, by a name that stays (job-outcome.ts); `reason` says the same to people. */
  readonly code?: string | undefined
  readonly reason?: string | undefined
  readonly status?: number | undefined
  readonly bytes?: number | undefined
  readonly via?: string | undefined
}

export interface JobLogFilter {
  readonly jobId?: string | undefined
  /** Lines whose URL has this in it. */
  readonly urlPart?: string | undefined
  readonly outcome?: string | undefined
}

/** Unknown ids throw 'crawl-job-unknown'. */
export interface JobService {
  /** Newest first. */
  list(): Awaitable<JobView[]>
  find(id: string): Awaitable<JobView | undefined>
  details(id: string): Awaitable<JobDetails>
  /** The job with these options as it stands, or as it ended. */
  last(request: JobRequest): Awaitable<JobView | undefined>
  /** The job with these options: a new one, or the one that was there, which goes on or begins anew. */
  start(request: JobRequest): Awaitable<JobView>
  pause(id: string): Awaitable<JobView>
  resume(id: string): Awaitable<JobView>
  cancel(id: string): Awaitable<JobView>
  log(filter: JobLogFilter): AsyncIterable<JobLogLine>
  /** Why nothing is crawled any more, when that is so: a full disk, say. */
  trouble(): { readonly code: string; readonly message: string } | undefined
}
