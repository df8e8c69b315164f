// The archive's pages, joined with store and crawler: what src/ui asks for, filled in.

import { withoutPaths } from '../../api/failure.ts'
import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { decodeText } from '../../formats/markup/charset.ts'
import type { Awaitable } from '../../model/listed.ts'
import type { NetworkStatus } from '../../model/peer-status.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { Store } from '../../store/store.ts'
import type {
  PageArchive,
  PageJob,
  PageJobs,
  PageOwner,
  PageServer,
  PageSettings,
  PageSiteNames,
  PageTexts,
  PageVisits,
  RecentCapture,
} from '../../ui/archive.ts'
import { type Pages, pagesOf } from '../../ui/pages.ts'
import { SiteNames } from '../../ui/site-names.ts'
import type { Platform } from '../platform.ts'
import { pageTitles } from './page-titles.ts'
import { recentCaptures } from './recent-captures.ts'

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
  trouble(): { readonly message: string } | undefined
}

export interface ArchivePagesNeeds {
  readonly platform: Pick<Platform, 'clock' | 'threads' | 'programFiles' | 'breathe'>
  readonly networkStatus?: (() => Promise<NetworkStatus>) | undefined
  readonly isPartial?: (() => boolean) | undefined
  readonly archive: ReadableArchive
  /** This peer's own. */
  readonly store: Pick<Store, 'sites' | 'revision'>
  /** Of all peers, where there are others. */
  readonly siteNames?: PageSiteNames | undefined
  readonly totals: PageArchive['totals']
  readonly jobs: Jobs
  readonly owner: PageOwner
  readonly visits?: PageVisits | undefined
  readonly settings?: PageSettings | undefined
  readonly server: PageServer
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
/** What pages are made of is kept by the dozen with each of them, and would crowd them out. */
const requisiteEnding =
  /\.(?:avif|css|gif|ico|jpe?g|json|m?js|mp[34]|png|svg|ttf|webm|webp|woff2?|xml|txt)(?:\?|$)/i

export async function openArchivePages(needs: ArchivePagesNeeds): Promise<ArchivePages> {
  const { platform, archive, server } = needs
  const { clock } = platform
  const comparing = platform.threads.comparisons()
  const recent: RecentCapture[] = []
  const timing = {
    monotonicMs: () => clock.monotonicMs(),
    breathe: () => platform.breathe(),
  }
  const pages = pagesOf({
    archive: {
      versions: (url, options) => archive.versions(url, options),
      nearest: (url, atMs) => archive.nearest(url, atMs),
      scan: (selection, options) => archive.scan(selection, options),
      totals: needs.totals,
      isTakenDown: (url) => archive.isTakenDown(url),
      resolve: needs.resolve,
      recent: async (limit) => (await recentCaptures(recent, needs)).slice(0, limit),
    },
    siteNames: needs.siteNames ?? new SiteNames({ ...timing, source: needs.store }),
    titleOf: pageTitles({ archive, clock }),
    jobs: pageJobs(needs.jobs),
    owner: needs.owner,
    settings: needs.settings,
    visits: needs.visits,
    networkStatus: needs.networkStatus,
    isPartial: needs.isPartial,
    server,
    texts: pageTexts(archive),
    comparing: { run: (work) => comparing.run(work) },
    assets: await platform.programFiles.pageAssets(),
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

function pageJobs(jobs: Jobs): PageJobs {
  return {
    list: async (limit) => (await jobs.list()).slice(0, limit),
    find: (id) => jobs.find(id),
    start: ({ urls, scope }) => jobs.start({ seeds: urls.map(({ href }) => href), scope, budgets: {} }),
    pause: (id) => jobs.pause(id),
    resume: (id) => jobs.resume(id),
    cancel: (id) => jobs.cancel(id),
    trouble: () => withoutPathsIn(jobs.trouble()?.message),
  }
}

/** Pages are for everybody. Who wants to know where on the disk has the log. */
function withoutPathsIn(message: string | undefined): string | undefined {
  return message && withoutPaths(message)
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
