// What the pages ask of the archive, the crawler and the server. The store has most of it as it stands; `app/` fills in
// the rest.
//
// Everything that lists is lazy or bounded: a page never holds more than it shows.

import type { Feeds } from '../changes/feeds/feeds.ts'
import type { WatchService } from '../changes/watches/watches.ts'
import type { WebhookService } from '../changes/webhooks/webhooks.ts'
import type { RuleService } from '../crawl/rules/rule-service.ts'
import type { PageInfo } from '../formats/warc/page-info.ts'
import type { ArchivedCapture } from '../model/archive.ts'
import type { JobMissing } from '../model/jobs/job-missing.ts'
import type { JobTimes, ScheduleService } from '../model/jobs/job-schedule.ts'
import type { JobDetails } from '../model/jobs/job-service.ts'
import type { PlannedVisit, VisitRule, VisitTarget } from '../model/jobs/planned-visit.ts'
import type { Awaitable, Listed } from '../model/listed.ts'
import type { TimeRange } from '../model/time-range.ts'
import type { Url } from '../model/url/url.ts'
import type { HttpAnswer } from '../platform/network/http-server.ts'
import type { AskedBy, Header, PageRequest } from './http.ts'

/** A capture among the others of its URL. */
export type Version = Pick<
  ArchivedCapture,
  'url' | 'surt' | 'capturedAtMs' | 'status' | 'mime' | 'kind' | 'content' | 'payloadBytes' | 'cursor'
>

export type PageSelection = { kind: 'prefix'; url: string } | { kind: 'site'; site: string }

export interface PageArchive {
  /** Oldest first, or newest first with `reverse`. */
  versions(url: Url, options?: TimeRange & { reverse?: boolean; limit?: number }): Listed<Version>
  /** When views of pages were kept, as far as that is told soon. Does not fail. */
  viewTimes(url: Url, options: TimeRange & { limit: number }): Awaitable<Iterable<number>>
  nearest(url: Url, atMs: number): Awaitable<Version | undefined>
  /** What replay shows for these digits: the frame and what is in it must be of one mind. */
  resolve(url: Url, digits: string): Promise<Version | undefined>
  /** In the order of SURT and time. A cursor that is none throws 'store-bad-cursor'. */
  scan(
    selection: PageSelection,
    options?: TimeRange & { after?: string | undefined; limit?: number },
  ): Listed<Version>
  isTakenDown(url: Url): boolean
  /** What was kept last, newest first; of this run at least. */
  recent(limit: number): Awaitable<readonly RecentCapture[]>
  totals(): Promise<ArchiveTotals>
}

/** What became of the parts of pages that a browser captured. */
export interface PageAccounts {
  /** Of the capture of that time; undefined where no browser showed it. */
  at(page: Url, capturedAtMs: number): Promise<PageInfo | undefined>
}

/** Pictures of pages. */
export interface PagePictures {
  /** undefined when it is larger than a small picture is. */
  read(version: Version): Promise<Uint8Array | undefined>
}

/** The names of all sites of the archive, in the order of the alphabet. */
export interface PageSiteNames {
  all(): Promise<SiteNameList>
}

export interface SiteNameList {
  readonly names: readonly string[]
  /** There are more than are listed. */
  readonly isMore: boolean
  /** The other peers that were asked for theirs, and how many of them answered; undefined where there are none. */
  readonly peers?: { readonly asked: number; readonly answered: number } | undefined
}

export interface RecentCapture {
  readonly url: string
  readonly capturedAtMs: number
  readonly status: number
  readonly hasThumbnail?: boolean
}

export interface ArchiveTotals {
  readonly captures: number
  readonly distinctPayloads: number
  readonly bytes: {
    /** As if every capture had kept its own payload, uncompressed. */
    readonly original: number
    readonly afterDedup: number
    readonly onDisk: number
  }
}

export interface PageJob {
  readonly id: string
  readonly seeds: readonly string[]
  readonly scope: string
  readonly state: 'running' | 'paused' | 'done'
  /** Why it ended: 'complete', or the budget that was spent. */
  readonly ending: string | undefined
  /** What became of it: everything kept, a part, or nothing; undefined while it is not over. */
  readonly outcome: 'complete' | 'partly' | 'nothing' | undefined
  /** What was not kept, by reason, the most frequent first. */
  readonly missing: readonly JobMissing[]
  /** What its owner can do about that, if there is something. */
  readonly advice: string | undefined
  readonly createdAtMs: number
  /** Since its beginning. */
  readonly counters: {
    readonly queued: number
    readonly pending: number
    readonly fetched: number
    readonly failed: number
    readonly refused: number
    readonly bytes: number
  }
  /** In this run of the peer. */
  readonly counts: { readonly new: number; readonly changed: number; readonly same: number }
}

export interface PageJobs {
  /** Newest first. */
  list(limit: number): Awaitable<readonly PageJob[]>
  find(id: string): Awaitable<PageJob | undefined>
  /** Archives these URLs now: the job that does it, new or under way already. */
  start(wanted: ArchiveRequest): Awaitable<PageJob>
  /** Who did what of it, and where. */
  details(id: string): Awaitable<JobDetails>
  /** Begins it at these times. */
  schedule(wanted: ArchiveRequest, times: JobTimes): Awaitable<unknown>
  readonly schedules: Pick<ScheduleService, 'list' | 'pause' | 'resume' | 'remove'>
  pause(id: string): Awaitable<unknown>
  resume(id: string): Awaitable<unknown>
  cancel(id: string): Awaitable<unknown>
  /** Why nothing is crawled any more, when that is so: a full disk, say. */
  trouble(): string | undefined
}

/** The archive as tables. */
export interface PageTables {
  /** A query that cannot be answered throws a PolyhistorError that says why. */
  sql(query: string): Promise<{
    readonly columns: readonly string[]
    readonly rows: readonly (readonly unknown[])[]
    readonly isCut: boolean
  }>
}

/** The visits that keep pages fresh. */
export interface PageVisits {
  /** Rules for sites and pages hold on all peers of the network. */
  readonly isShared?: boolean
  /** Those due first. */
  planned(target: VisitTarget, limit: number): Awaitable<readonly PlannedVisit[]>
  rules(): Awaitable<readonly VisitRule[]>
  /** A span that is none throws 'fresh-malformed'. */
  change(
    target: VisitTarget,
    wanted: { kind: 'every'; span: string } | { kind: 'stop' | 'resume' },
  ): Promise<void>
}

/** What is crawled and how, by site, host and pattern. */
export type PageRules = RuleService

/** What the owner watches, who is told of it, and what changed lately. */
export interface PageWatching {
  readonly watches: WatchService
  readonly webhooks: WebhookService
  readonly feeds: Pick<Feeds, 'recent'>
}

/** `page` with all it needs, or further. */
export const requestScopes = ['page', 'prefix', 'host', 'site'] as const

export interface ArchiveRequest {
  readonly urls: readonly Url[]
  readonly scope: (typeof requestScopes)[number]
}

/** The text of an archived page, decoded: for comparing. */
export interface PageTexts {
  /** The start of the document, as much as may be compared; `isCut` when there was more. */
  read(version: Version): Promise<ReadableDocument>
}

/** Of an archived page; undefined where it has none, or it cannot be had soon. */
export type TitleOf = (version: Version) => Promise<string | undefined>

export interface ReadableDocument {
  readonly text: string
  readonly contentType: string
  readonly isCut: boolean
}

export interface PageServer {
  /** Where these pages are: `http://localhost:7070`. */
  readonly archiveOrigin: string
  /** Where archived pages are replayed: `http://replay.localhost:7070`. */
  readonly replayOrigin: string
  /** Of a memento, as RFC 7089 wants them on the page that frames it. */
  mementoHeaders(url: Url, version: Version): Awaitable<readonly Header[]>
  /** The archived resource itself, its bytes as they came. */
  resource(request: Pick<PageRequest, 'method' | 'header'>, version: Version): Promise<HttpAnswer>
}

export interface PageSetting {
  readonly name: string
  readonly value: string
  readonly source: 'default' | 'preset' | 'file' | 'environment' | 'flag'
  readonly environmentName: string
  /** What more and less of it cost. */
  readonly meaning: string
  /** What may be written: "a size such as 500MB". */
  readonly expects: string
  readonly canChange: boolean
  /** From the next start on, where that is another. */
  readonly next: string | undefined
}

export interface PageSettings {
  list(): Promise<readonly PageSetting[]>
  /** From the next start on. Throws 'configuration-invalid' with what is wrong. */
  change(name: string, written: string): Promise<void>
}

/** Who may do more than read. */
export interface PageOwner {
  isOwner(request: AskedBy): boolean
  /** The Set-Cookie header that the code of a one-time link is good for; undefined when it is good for nothing. */
  redeem(code: string, request: AskedBy): string | undefined
}

/** The documentation, built from docs/ into plain files. */
export interface DocumentationFiles {
  /** By its address below /docs/, such as `api.html`; undefined when there is none. */
  file(address: string): Promise<{ readonly bytes: Uint8Array; readonly type: string } | undefined>
}

/** Scripts and styles, built with Vite from web/. */
export interface PageAssets {
  /** The address of an entry: `/assets/archive-1a2b3c.css`. */
  pathOf(entry: string): string
  file(path: string): { readonly bytes: Uint8Array; readonly type: string } | undefined
}
