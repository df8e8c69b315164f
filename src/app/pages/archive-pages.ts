// The archive's pages, joined with store and crawler: what src/ui asks for, filled in.

import { withoutPaths } from '../../api/failure.ts'
import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { decodeText } from '../../formats/markup/charset.ts'
import type { ArchivedCapture } from '../../model/archive.ts'
import type { ScheduleService } from '../../model/jobs/job-schedule.ts'
import type { JobDetails } from '../../model/jobs/job-service.ts'
import type { Awaitable } from '../../model/listed.ts'
import { joined } from '../../model/listed.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { ArchivedRenderings } from '../../store/reading/rendered-pages.ts'
import type { Store } from '../../store/store.ts'
import type {
  ArchiveRequest,
  PageArchive,
  PageJob,
  PageJobs,
  PagePictures,
  PageSiteNames,
  PageTexts,
  RecentCapture,
} from '../../ui/archive.ts'
import { type Pages, pagesOf } from '../../ui/pages.ts'
import { SiteNames } from '../../ui/site-names.ts'
import type { Platform } from '../platform.ts'
import { pageTitles } from './page-titles.ts'
import { recentCaptures } from './recent-captures.ts'
import { viewTimes } from './view-times.ts'

/** As the crawler's jobs are given to the API. */
interface Jobs {
  list(): Awaitable<PageJob[]>
  find(id: string): Awaitable<PageJob | undefined>
  start(request: {
    seeds: string[]
    scope: 'page' | 'prefix' | 'host' | 'site'
    budgets: object
  }): Awaitable<PageJob>
  pause(id: string): Awaitable<unknown>
  resume(id: string): Awaitable<unknown>
  cancel(id: string): Awaitable<unknown>
  details(id: string): Awaitable<JobDetails>
  trouble(): { readonly message: string } | undefined
}

type PagesNeeds = Parameters<typeof pagesOf>[0]

export interface ArchivePagesNeeds
  extends Omit<
    PagesNeeds,
    // Made here, of the rest.
    | 'archive'
    | 'siteNames'
    | 'titleOf'
    | 'jobs'
    | 'texts'
    | 'pictures'
    | 'accounts'
    | 'comparing'
    | 'assets'
    | 'documentation'
    | 'breathe'
    | 'monotonicMs'
    | 'nowMs'
  > {
  readonly platform: Pick<Platform, 'clock' | 'threads' | 'programFiles' | 'breathe'>
  readonly archive: ReadableArchive
  /** This peer's own. */
  readonly store: Pick<Store, 'sites' | 'revision' | 'versions'>
  /** Of all peers, where there are others. */
  readonly siteNames?: PageSiteNames | undefined
  readonly totals: PageArchive['totals']
  readonly jobs: Jobs
  /** Those of all peers, where there are others. */
  readonly jobDetails?: ((id: string) => Promise<JobDetails>) | undefined
  readonly schedules: ScheduleService
  readonly resolve: PageArchive['resolve']
}

export interface ArchivePages extends Pages {
  /** What happened to a URL, for those kept last. */
  happened(event: { url: string; outcome: string; atMs: number; status?: number | undefined }): void
  close(): Promise<void>
}

/** As much of a document as is compared. */
const comparedBytesMax = 2_000_000
const recentMax = 50
const pictureBytesMax = 1024 * 1024
/** What pages are made of is kept by the dozen with each of them, and would crowd them out. */
const requisiteEnding =
  /\.(?:avif|css|gif|ico|jpe?g|json|m?js|mp[34]|png|svg|ttf|webm|webp|woff2?|xml|txt)(?:\?|$)/i

export async function openArchivePages(needs: ArchivePagesNeeds): Promise<ArchivePages> {
  const { platform, archive } = needs
  const { clock } = platform
  const comparing = platform.threads.comparisons()
  const renderings = new ArchivedRenderings<ArchivedCapture>(archive)
  const recent: RecentCapture[] = []
  const timing = {
    monotonicMs: () => clock.monotonicMs(),
    nowMs: () => clock.nowMs(),
    breathe: () => platform.breathe(),
  }
  const pages = pagesOf({
    ...needs,
    archive: {
      versions: (url, options) => archive.versions(url, options),
      viewTimes: viewTimes({ archive, store: needs.store, clock }),
      nearest: (url, atMs) => archive.nearest(url, atMs),
      scan: (selection, options) => archive.scan(selection, options),
      totals: needs.totals,
      isTakenDown: (url) => archive.isTakenDown(url),
      resolve: needs.resolve,
      recent: async (limit) => (await recentCaptures(recent, needs)).slice(0, limit),
    },
    siteNames: needs.siteNames ?? new SiteNames({ ...timing, source: needs.store }),
    titleOf: pageTitles({ archive, clock }),
    jobs: pageJobs(needs.jobs, needs.schedules, needs.jobDetails),
    texts: pageTexts(archive),
    pictures: pagePictures(archive),
    accounts: { at: (page, capturedAtMs) => renderings.infoAt(page, capturedAtMs) },
    comparing: { run: (work) => comparing.run(work) },
    assets: await platform.programFiles.pageAssets(),
    documentation: await platform.programFiles.documentation(),
    ...timing,
  })
  return {
    ...pages,
    happened: ({ url, outcome, atMs, status = 0 }) => {
      if ((outcome !== 'new' && outcome !== 'changed') || requisiteEnding.test(url)) return
      recent.unshift({ url, capturedAtMs: atMs, status })
      recent.length = Math.min(recent.length, recentMax)
    },
    close: () => comparing.close(),
  }
}

function pageJobs(
  jobs: Jobs,
  schedules: ScheduleService,
  details: ArchivePagesNeeds['jobDetails'],
): PageJobs {
  return {
    list: async (limit) => (await jobs.list()).slice(0, limit),
    find: (id) => jobs.find(id),
    start: (wanted) => jobs.start(requestOf(wanted)),
    details: details ?? ((id) => jobs.details(id)),
    schedule: (wanted, times) => schedules.add(requestOf(wanted), times),
    schedules,
    pause: (id) => jobs.pause(id),
    resume: (id) => jobs.resume(id),
    cancel: (id) => jobs.cancel(id),
    trouble: () => withoutPathsIn(jobs.trouble()?.message),
  }
}

function requestOf({ urls, scope }: ArchiveRequest) {
  return { seeds: urls.map(({ href }) => href), scope, budgets: {} }
}

/** Pages are for everybody. Who wants to know where on the disk has the log. */
function withoutPathsIn(message: string | undefined): string | undefined {
  return message && withoutPaths(message)
}

function pagePictures(archive: ReadableArchive): PagePictures {
  return {
    read: async (version) => {
      if (version.payloadBytes > pictureBytesMax) return undefined
      return joined((await archive.read(version)).payload())
    },
  }
}

function pageTexts(archive: ReadableArchive): PageTexts {
  return {
    read: async (version) => {
      const answer = await archive.read(version)
      const headers = answer.head && parseHttpHead(answer.head)?.headers
      const contentType = headers?.get('Content-Type') ?? version.mime
      const decoded = await decodeContent(
        answer.payload(),
        headers?.get('Content-Encoding'),
        comparedBytesMax,
      )
      const { text } = decodeText(decoded.bytes, contentType, 'html')
      return { text, contentType, isCut: decoded.end === 'cut' }
    },
  }
}
