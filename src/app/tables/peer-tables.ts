// The tables of a home: those that a running peer has, and those for commands without one.

import { join } from 'node:path'
import type { ChangeService } from '../../api/v1/changes/change-routes.ts'
import type { ChangeEvent } from '../../changes/change-event.ts'
import { eventOf } from '../../changes/event-coding.ts'
import type { LinkGraph } from '../../graph/link-graph.ts'
import { storeArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import type { Store } from '../../store/store.ts'
import { version } from '../../version.ts'
import { openChanges } from '../changes/open-changes.ts'
import { openCrawlLog, userAgentOf } from '../crawl/crawler.ts'
import { openCrawlerToAsk } from '../crawl/crawler-to-ask.ts'
import { catchUpOf, ownLinksOf } from '../graph/peer-links.ts'
import type { Platform } from '../platform.ts'
import { realPlatform } from '../real-platform.ts'
import { ArchiveTables } from './archive-tables.ts'

export { rowOf } from '../../api/v1/table-routes.ts'

interface LoggedUrl {
  readonly url: string
  readonly outcome: string
}

interface Needs {
  readonly platform: Pick<Platform, 'clock' | 'breathe' | 'disk'>
  readonly store: Store
  readonly archive: ConstructorParameters<typeof ArchiveTables>[0]['archive']
  readonly graph: LinkGraph
  /** All peers', where there are others. */
  readonly network?: ConstructorParameters<typeof ArchiveTables>[0]['network'] | undefined
  readonly changes: ChangeService
  readonly jobs: { log(filter: { jobId: string }): AsyncIterable<LoggedUrl> }
}

const kept: ReadonlySet<string> = new Set(['new', 'changed', 'same'])
/** Of a job; with more it is a matter for the whole archive. */
const urlsMax = 2_000_000

export function tablesOf(needs: Needs, folder: string): ArchiveTables {
  const { platform, store, archive, graph, jobs } = needs
  const own = { archive: storeArchive(store), links: ownLinksOf({ platform, store, graph }) }
  return new ArchiveTables(
    {
      archive,
      graph,
      network: needs.network ?? own,
      changes: () => keptChanges(needs.changes),
      isHidden: (href) => store.hides(href),
      breathe: () => platform.breathe(),
      hasFolder: async (path) => (await platform.disk.stat(path)) !== undefined,
      monotonicMs: () => platform.clock.monotonicMs(),
      urlsOfJob: async (jobId) => {
        const urls = new Set<string>()
        for await (const { url, outcome } of jobs.log({ jobId }))
          if (kept.has(outcome) && urls.size < urlsMax) urls.add(url)
        return urls
      },
    },
    folder,
  )
}

/** From the oldest that is kept up to now. */
async function* keptChanges(service: ChangeService): AsyncGenerator<ChangeEvent> {
  const stream = service.stream({ cursor: 0, isFollowing: false, signal: new AbortController().signal })
  try {
    await stream.begin()
    for await (const page of stream.told()) {
      if (page.kind !== 'events') continue
      for (const stored of page.events) if (!service.isHidden(stored.url)) yield eventOf(stored)
    }
  } finally {
    await stream.close()
  }
}

/** Without a running peer. */
export async function withTables<T>(
  home: string,
  store: Store,
  work: (tables: ArchiveTables) => Promise<T>,
): Promise<T> {
  const folder = join(home, 'crawl')
  const platform = realPlatform()
  const crawler = await openCrawlerToAsk(folder, store, { userAgent: userAgentOf(version), allowed: [] })
  try {
    const { graph } = crawler
    if (!store.isReadOnly) {
      const catchUp = catchUpOf({ platform, store, graph })
      await catchUp.pass().finally(() => catchUp.close())
    }
    const log = await openCrawlLog(platform, folder)
    const jobs = { log: (filter: { jobId: string }) => log.read(filter) }
    const { clock, random } = platform
    const isHidden = (url: string) => store.hides(url)
    const changes = openChanges({ clock, random, frontier: crawler.frontier, isHidden })
    const needs = { platform, store, archive: storeArchive(store), graph, changes, jobs }
    const tables = tablesOf(needs, join(home, 'tables'))
    try {
      return await work(tables)
    } finally {
      await tables.close()
      await changes.close()
      await log.close()
    }
  } finally {
    await crawler.close()
  }
}
