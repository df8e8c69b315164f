// Reading in the browser: the archive's pages and replayed ones, on their two hosts.

import { archivedUrl } from '../../api/archived-url.ts'
import type { Origins } from '../../api/hosts.ts'
import type { TimeGate } from '../../api/memento/time-gate.ts'
import type { Route } from '../../api/route.ts'
import type { ArchivedCapture } from '../../model/archive.ts'
import type { ScheduleService } from '../../model/jobs/job-schedule.ts'
import type { JobService } from '../../model/jobs/job-service.ts'
import type { LinkService } from '../../model/page-link.ts'
import type { NetworkStatus } from '../../model/peer-status.ts'
import { printTimestamp } from '../../model/timestamp.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { RankService } from '../../rank/rank-service.ts'
import type { Replay } from '../../replay/replay.ts'
import { printReplayAddress } from '../../replay/replay-address.ts'
import type { SearchService } from '../../search/search-answer.ts'
import type {
  PageArchive,
  PageOwner,
  PageRules,
  PageSettings,
  PageTables,
  PageVisits,
  PageWatching,
} from '../../ui/archive.ts'
import type { ArchivePages, ArchivePagesNeeds } from './archive-pages.ts'
import { openArchivePages } from './archive-pages.ts'
import { openReplay } from './store-replay.ts'

export interface ReadingParts {
  readonly pages: ArchivePages
  readonly routes: readonly Route[]
}

export async function openReading(needs: {
  platform: ArchivePagesNeeds['platform']
  archive: ReadableArchive
  /** Of this peer. */
  store: ArchivePagesNeeds['store']
  /** Of all peers, where there are others. */
  siteNames?: ArchivePagesNeeds['siteNames']
  totals: PageArchive['totals']
  networkStatus?: (() => Promise<NetworkStatus>) | undefined
  isPartial?: (() => boolean) | undefined
  jobs: JobService
  jobDetails?: ArchivePagesNeeds['jobDetails']
  schedules: ScheduleService
  owner: PageOwner
  settings?: PageSettings | undefined
  visits?: PageVisits | undefined
  links?: LinkService | undefined
  search?: SearchService | undefined
  ranks?: RankService | undefined
  tables?: PageTables | undefined
  rules?: PageRules | undefined
  watching?: PageWatching | undefined
  console?: ArchivePagesNeeds['console']
  timeGate: TimeGate
  origins: Origins
}): Promise<ReadingParts> {
  const { platform, archive, jobs, timeGate, origins } = needs
  const replay = openReplay({ archive, ownFiles: await platform.programFiles.replayFiles() }, { origins })
  const pages = await openArchivePages({
    platform,
    archive,
    store: needs.store,
    siteNames: needs.siteNames,
    totals: needs.totals,
    networkStatus: needs.networkStatus,
    isPartial: needs.isPartial,
    jobs,
    jobDetails: needs.jobDetails,
    schedules: needs.schedules,
    owner: needs.owner,
    settings: needs.settings,
    visits: needs.visits,
    links: needs.links,
    search: needs.search,
    ranks: needs.ranks,
    tables: needs.tables,
    rules: needs.rules,
    watching: needs.watching,
    console: needs.console,
    server: {
      archiveOrigin: origins.archive,
      replayOrigin: origins.replay,
      // Versions are the archive's own captures, handed through.
      mementoHeaders: (url, version) => timeGate.headers(url, version as ArchivedCapture),
      resource: ({ method, header }, { capturedAtMs, url }) =>
        replay.answer({
          method,
          header,
          host: 'archive',
          target: printReplayAddress(printTimestamp(capturedAtMs), 'id_', url),
        }),
    },
    resolve: async (url, digits) => (await replay.resolve(url, digits)) as ArchivedCapture | undefined,
  })
  return { pages, routes: [...pages.routes, ...replayRoutes(replay, timeGate)] }
}

/** A time, a modifier or both stand before the URL; what has neither is a TimeGate's. */
const timedPattern = /^(?:[0-9]+(?:[a-z]+_)?|[0-9]*[a-z]+_|[0-9-]*\*)\//

function replayRoutes(replay: Replay, timeGate: TimeGate): Route[] {
  return [
    {
      methods: ['GET'],
      host: 'archive',
      path: '/web/{rest*}',
      handle: (request) =>
        timedPattern.test(request.rest)
          ? replay.answer(request)
          : timeGate.answer(archivedUrl(request.rest), request),
    },
    {
      methods: ['GET', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'],
      host: 'replay',
      path: '/{rest*}',
      handle: (request) => replay.answer(request),
    },
  ]
}
