// The peer: an archive that is read over HTTP while it crawls. Joins store, crawler, replay, pages and interfaces.
//
// A request's life: the server reads it (platform/real/http-server/http-server.ts), the API finds host and route and asks who may
// (api/api.ts), the route's part answers (peer/routes.ts, peer/reading.ts), the server writes it as fast as it is read.

import { join } from 'node:path'
import { MementoLinks } from '../api/memento/memento-links.ts'
import { TimeGate } from '../api/memento/time-gate.ts'
import type { Route } from '../api/route.ts'
import { JobEvents } from '../api/v1/job-events.ts'
import { statusRoutes } from '../api/v1/status-routes.ts'
import type { CrawlCounts } from '../crawl/crawl-report.ts'
import { PeerJobs } from '../crawl/jobs/peer-jobs.ts'
import { PolyhistorError } from '../errors.ts'
import { storeArchive } from '../network/remote-reads/archive/readable-archive.ts'
import type { Log } from '../platform/log.ts'
import type { Capture } from '../store/capture.ts'
import { Spool } from '../store/spool.ts'
import type { Store } from '../store/store.ts'
import { BackgroundScrub, type BackgroundScrubOptions } from '../store/upkeep/background-scrub.ts'
import type { PageSettings } from '../ui/archive.ts'
import {
  type CrawlEvent,
  type CrawlerOptions,
  openCrawler,
  openCrawlLog,
  RecrawlLoop,
} from './crawl/crawler.ts'
import { PlannedVisits } from './crawl/planned-visits.ts'
import { PeerArchive } from './http/archive.ts'
import { PeerImports } from './http/imports.ts'
import { interfaceRoutes, withOpenApi } from './http/routes.ts'
import { type PeerServer, type PeerServerOptions, startPeerServer } from './http/server.ts'
import { PeerStoreService } from './http/store-service.ts'
import type { ArchiveNetwork } from './network/archive-network.ts'
import { openReading, type ReadingParts } from './pages/reading.ts'
import type { Platform } from './platform.ts'
import { MembershipFiles } from './ring/membership-files.ts'
import { SolitaryStatus } from './status/solitary-status.ts'

export type { BackgroundScrubOptions } from '../store/upkeep/background-scrub.ts'

export interface PeerOptions {
  readonly server: PeerServerOptions
  readonly crawler: CrawlerOptions
  /** How the store is read to find rot; undefined: never. */
  readonly scrub?: BackgroundScrubOptions | undefined
  /** For its owner to see and change. */
  readonly settings?: PageSettings | undefined
  /** What further parts of the peer answer: the ring's. */
  readonly moreRoutes?: readonly Route[] | undefined
}

export interface Peer {
  readonly server: PeerServer
  readonly counts: Readonly<CrawlCounts>
  /** Crawls until stopped. Rejects when crawling cannot go on; reading can all the same. */
  crawl(signals: { stop: AbortSignal; abort: AbortSignal }): Promise<void>
  close(): Promise<void>
}

/** Room may come back: others take over what we give up, somebody tidies up. */
const roomAgainMs = 30_000
const lacksOfRoom: ReadonlySet<string> = new Set(['store-no-room', 'disk-full', 'index-full'])

/** `network`: the other peers that keep this archive, where there are any. */
export async function openPeer(
  needs: { platform: Platform; store: Store; log: Log; network?: ArchiveNetwork | undefined },
  options: PeerOptions,
): Promise<Peer> {
  const { platform, store, log, network } = needs
  const { clock, disk } = platform
  const archive = network?.archive ?? storeArchive(store)
  const folder = join(options.server.home, 'crawl')
  const crawlLog = await openCrawlLog(platform, folder)
  let reading: ReadingParts | undefined
  const watch = {
    happened(event: CrawlEvent) {
      crawlLog.append(event)
      own.happened(event)
      events.happened(event)
      reading?.pages.happened(event)
    },
  }
  const spread = network && ((capture: Capture) => network.spread(capture))
  const crawling = { ...options.crawler, contentsElsewhere: network?.contents }
  const crawler = await openCrawler({ platform, store, watch, spread }, folder, crawling)
  const { frontier, crawl } = crawler
  const freshRules = JSON.stringify([...(options.crawler.freshness ?? [])])
  const recrawlLoop = new RecrawlLoop({ frontier, crawl, clock }, freshRules)
  const wake = () => recrawlLoop.wake()
  const own = new PeerJobs({ crawler, crawlLog, wake })
  await network?.joinCrawler({ crawler, jobs: own, wake })
  const visits = new PlannedVisits({ frontier, whenChanged: wake, network: network?.visits })
  const jobs = network?.jobs ?? own
  const events = new JobEvents({ jobs, clock })
  const downloads = new Spool({ disk }, join(options.server.home, 'downloads'))
  const { takedowns } = network ?? {}
  const service = new PeerArchive({ archive, store, takedowns, crawler, downloads }, options.crawler.allowed)
  const status = network?.status ?? new SolitaryStatus({ store })
  const paths = await platform.openPaths(options.server.home, options.server.folders ?? [])
  const importedBy = await new MembershipFiles(options.server.home, platform).peer()
  const imports = new PeerImports({ store, clock, disk, paths, elsewhere: network?.contents, importedBy })
  const storeService = new PeerStoreService({ store, clock, disk, paths })
  const scrub = options.scrub && new BackgroundScrub({ store, clock, log }, options.scrub)
  const closeParts = async () => {
    await scrub?.close()
    await reading?.pages.close()
    await network?.close()
    await crawler.close()
    await crawlLog.close()
  }
  try {
    const server = await startPeerServer(
      { platform, log },
      options.server,
      async ({ origins, instance, owner }) => {
        const links = new MementoLinks(origins.archive)
        const timeGate = new TimeGate({ archive, links })
        reading = await openReading({
          platform,
          archive,
          store,
          siteNames: network?.sites,
          totals: () => store.stat(),
          networkStatus: () => status.status(),
          isPartial: network?.partial.isNoted,
          jobs,
          owner,
          settings: options.settings,
          visits,
          timeGate,
          origins,
        })
        const parts = {
          archive,
          clock,
          service,
          imports,
          storeService,
          jobs,
          events,
          visits,
          links,
          timeGate,
          instance,
        }
        const routes = [
          ...interfaceRoutes(parts),
          ...owner.routes(),
          ...statusRoutes({ service: status }),
          ...reading.routes,
          ...(options.moreRoutes ?? []),
        ]
        const told = network ? routes.map((route) => network.partial.told(route)) : routes
        const { pages } = reading
        return {
          routes: withOpenApi(told, (operations) => pages.interfacesRoute(operations)),
          failurePage: pages.failurePage,
        }
      },
    )
    scrub?.start()
    return {
      server,
      counts: crawl.counts,
      crawl: async (signals) => {
        while (!signals.stop.aborted) {
          try {
            await recrawlLoop.run(signals)
          } catch (error) {
            own.stopped(error)
            if (!isLackOfRoom(error)) throw error
            log.warn({ err: error }, 'Nothing is crawled until there is room again')
            await clock.sleep(roomAgainMs, signals.stop).catch(() => {})
            own.recovered()
          }
        }
      },
      close: async () => {
        events.close()
        await server.close()
        await closeParts()
      },
    }
  } catch (error) {
    await closeParts()
    throw error
  }
}

/** Of the store, its index, the frontier or the log, or of what one of them says is behind it. */
function isLackOfRoom(error: unknown): boolean {
  if (!(error instanceof PolyhistorError)) return false
  return lacksOfRoom.has(error.code) || isLackOfRoom(error.cause)
}
