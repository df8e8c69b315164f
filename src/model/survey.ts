// Survey: what a peer tells of the sites that it crawls: their queues and URLs, page by page.
//
// Everything is listed by cursor. A cursor is where the next page begins, and good for this peer only.

import type { JobMissing } from './jobs/job-missing.ts'
import type { PlannedVisit } from './jobs/planned-visit.ts'
import type { Awaitable } from './listed.ts'
import type { RingKey } from './ring-key.ts'

export interface SurveyPage<Row> {
  readonly rows: readonly Row[]
  /** undefined when there are no more. */
  readonly next: string | undefined
}

export interface SiteRow {
  /** The ring key, which tells the parts of a split site apart. */
  readonly key: RingKey
  readonly site: string
  /** It is crawled here now: we hold its lease. */
  readonly isCrawled: boolean
  /** Pages that are kept fresh. */
  readonly pages: number
  /** Of the hosts looked at. */
  readonly queued: number
}

export interface SiteFacts extends SiteRow {
  readonly hosts: number
  /** There are more hosts and queues than were counted. */
  readonly isMore: boolean
  /** URLs that are known, of all jobs together. */
  readonly known: number
  /** Visits a day that are planned. */
  readonly visitsPerDay: number
  /** How many captures lie on the peer, counted up to a limit. */
  readonly captures: number
  readonly areCapturesMore: boolean
  /** Of its lease; undefined where there is no network. */
  readonly lease: { readonly epoch: number; readonly members: readonly string[] } | undefined
  /** Members that have all of its frontier, this peer included. */
  readonly copies: number
  /** Hosts that could not be reached, and are given up for now. */
  readonly failing: readonly { readonly host: string; readonly reason: string; readonly untilMs: number }[]
}

/** One job's queue for one host. */
export interface QueueRow {
  readonly job: string
  readonly host: string
  /** URLs taken on, ever. */
  readonly taken: number
  readonly pending: number
  /** When the host may be asked next; 0: at once. */
  readonly allowedAtMs: number
  readonly state: 'waiting' | 'held' | 'empty'
}

export interface QueuedUrl {
  readonly url: string
  readonly kind: string
  readonly depth: number
  readonly attempt: number
  readonly via: string
}

/** A page that is kept fresh. */
export type VisitRow = PlannedVisit

/** What a peer has of a job. */
export interface JobPart {
  readonly hosts: readonly { readonly host: string; readonly queued: number; readonly pending: number }[]
  readonly areHostsAll: boolean
  readonly missing: readonly JobMissing[]
}

export interface PageQuestion {
  readonly after?: string | undefined
  readonly limit: number
}

export const surveyPageMax = 200

/** Of one peer. */
export interface PeerSurvey {
  /** In the order of the ring. */
  sites(question: PageQuestion): Awaitable<SurveyPage<SiteRow>>
  /** undefined for one that is not here. */
  site(key: RingKey): Awaitable<SiteFacts | undefined>
  queues(key: RingKey, question: PageQuestion): Awaitable<SurveyPage<QueueRow>>
  queued(
    key: RingKey,
    queue: { readonly job: string; readonly host: string },
    question: PageQuestion,
  ): Awaitable<SurveyPage<QueuedUrl>>
  visits(key: RingKey, question: PageQuestion): Awaitable<SurveyPage<VisitRow>>
  /** undefined for one that was not visited here. */
  visit(url: string): Awaitable<VisitRow | undefined>
  job(id: string): Awaitable<JobPart>
}
