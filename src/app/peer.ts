// The peer: an archive that is read over HTTP while it crawls. Joins store, crawler, replay, pages and interfaces.
//
// A request's life: the server reads it (platform/real/http-server/http-server.ts), the API finds host and route and asks who may
// (api/api.ts), the route's part answers (peer/routes.ts, peer/reading.ts), the server writes it as fast as it is read.

import { join } from 'node:path'
import { feedRoutes } from '../api/feed-routes.ts'
import { healthRoutes } from '../api/health-routes.ts'
import { MementoLinks } from '../api/memento/memento-links.ts'
import { TimeGate } from '../api/memento/time-gate.ts'
import type { Route } from '../api/route.ts'
import { adminRoutes } from '../api/v1/admin-routes.ts'
import { proofRoutes } from '../api/v1/archive/proof-routes.ts'
import { searchRoutes } from '../api/v1/archive/search-routes.ts'
import { watchRoutes } from '../api/v1/changes/watch-routes.ts'
import { webhookRoutes } from '../api/v1/changes/webhook-routes.ts'
import { JobEvents } from '../api/v1/jobs/job-events.ts'
import { seedListRoutes } from '../api/v1/jobs/seed-list-routes.ts'
import { linkRoutes } from '../api/v1/link-routes.ts'
import { rankRoutes } from '../api/v1/rank-routes.ts'
import { settingsRoutes } from '../api/v1/settings-routes.ts'
import { statusRoutes } from '../api/v1/status-routes.ts'
import { tableRoutes } from '../api/v1/table-routes.ts'
import type { ReloadReport } from '../config/live-settings.ts'
import { noControl, type PeerControl } from '../console/peer-control.ts'
import type { CrawlCounts } from '../crawl/crawl-report.ts'
import type { LogLimits } from '../crawl/frontier/changes/log-upkeep.ts'
import { PeerJobs } from '../crawl/jobs/peer-jobs.ts'
import { ScheduledJobs } from '../crawl/jobs/scheduled-jobs.ts'
import { PolyhistorError } from '../errors.ts'
import { ringKeyOf } from '../model/ring-key.ts'
import { storeArchive } from '../network/remote-reads/archive/readable-archive.ts'
import type { Log } from '../platform/log.ts'
import type { AnchorPlaces } from '../proof/anchor/head-anchors.ts'
import { SiteHeadStarts } from '../rank/site-head-starts.ts'
import type { Capture } from '../store/capture.ts'
import { Spool } from '../store/spool.ts'
import type { Store } from '../store/store.ts'
import { BackgroundScrub, type BackgroundScrubOptions } from '../store/upkeep/background-scrub.ts'
import { BackgroundUpload } from '../store/upkeep/background-upload.ts'
import type { PageSettings } from '../ui/archive.ts'
import { version } from '../version.ts'
import { openChanges } from './changes/open-changes.ts'
import { openWatches } from './changes/open-watches.ts'
import { openConsole } from './console/open-console.ts'
import {
  type CrawlEvent,
  type CrawlerOptions,
  openCrawler,
  openCrawlLog,
  RecrawlLoop,
} from './crawl/crawler.ts'
import { HomeRules } from './crawl/home-rules.ts'
import { PlannedVisits } from './crawl/planned-visits.ts'
import { seedsAt } from './crawl/seed-source.ts'
import { openPeerLinks } from './graph/peer-links.ts'
import { PeerArchive } from './http/archive.ts'
import { ImportedCaptures } from './http/imported-captures.ts'
import { PeerImports } from './http/imports.ts'
import { interfaceRoutes, withOpenApi } from './http/routes.ts'
import { type PeerServer, type PeerServerOptions, startPeerServer } from './http/server.ts'
import { PeerStoreService } from './http/store-service.ts'
import { type UploadLimits, Uploads, uploadLimitsDefault } from './http/uploads.ts'
import type { ArchiveNetwork } from './network/archive-network.ts'
import { openReading, type ReadingParts } from './pages/reading.ts'
import type { Platform } from './platform.ts'
import { HomeProof } from './proof/home-proof.ts'
import { openAnchors } from './proof/open-anchors.ts'
import { type ProofNeeds, ProofService } from './proof/proof-service.ts'
import { openPeerRank, type RankOptions } from './rank/peer-rank.ts'
import { MembershipFiles } from './ring/membership-files.ts'
import { searchOf } from './search/peer-search.ts'
import { PeerMetrics } from './status/peer-metrics.ts'
import { SolitaryStatus } from './status/solitary-status.ts'
import { tablesOf } from './tables/peer-tables.ts'

export type { BackgroundScrubOptions } from '../store/upkeep/background-scrub.ts'

export interface PeerOptions {
  readonly server: PeerServerOptions
  readonly crawler: CrawlerOptions
  /** How long events are kept; as the settings have it unless told. */
  readonly changes?: LogLimits | undefined
  /** How ranks are computed; undefined: they are not. */
  readonly rank?: RankOptions | undefined
  /** How the store is read to find rot; undefined: never. */
  readonly scrub?: BackgroundScrubOptions | undefined
  /** Where heads of the log are put; nowhere unless told. */
  readonly anchors?: AnchorPlaces | undefined
  /** Whether the words of pages are indexed; they are not unless told. */
  readonly hasSearch?: boolean | undefined
  /** How much may be sent to be imported. */
  readonly uploads?: UploadLimits | undefined
  /** For its owner to see and change. */
  readonly settings?: PageSettings | undefined
  /** Reads the settings again. Throws 'configuration-invalid' where they are wrong. */
  readonly reloadSettings?: (() => ReloadReport) | undefined
  /** What further parts of the peer answer: the ring's. */
  readonly moreRoutes?: readonly Route[] | undefined
  /** What the console can do to this peer itself. */
  readonly control?: PeerControl | undefined
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
      search.happened(event)
    },
  }
  const spread = network && ((capture: Capture) => network.spread(capture))
  const crawling = { ...options.crawler, contentsElsewhere: network?.contents }
  const tell = (sentence: string) => log.info({}, sentence)
  const proof = await HomeProof.open({ platform, store, log }, options.server.home, options.crawler)
  const crawler = await openCrawler({ platform, store, watch, spread, tell, proof }, folder, crawling)
  const { frontier, crawl } = crawler
  // What is wrong with the browser is told by the status, and by pages that need it.
  void crawler.showing.prepare().catch(() => {})
  const freshRules = JSON.stringify([...(options.crawler.freshness ?? [])])
  const recrawlLoop = new RecrawlLoop({ frontier, crawl, clock }, freshRules)
  const wake = () => recrawlLoop.wake()
  const own = new PeerJobs({ crawler, crawlLog, wake })
  await network?.joinCrawler({ crawler, jobs: own, proof, wake })
  const rules = new HomeRules({ frontier, whenChanged: wake, network: network?.shared?.rules })
  const visits = new PlannedVisits({ frontier, rules })
  const isHidden = (url: string) => store.hides(url)
  const told = { ...platform, frontier, isHidden, store, network: network?.changes }
  const changes = openChanges(told, options.changes)
  const jobs = network?.shared?.jobs ?? own
  const links = openPeerLinks({ platform, store, graph: crawler.graph, network })
  const search = searchOf({ platform, store, graph: crawler.graph, network: network?.search }, options)
  const rank = await openPeerRank(
    { platform, store, graph: crawler.graph, network: network?.rank },
    folder,
    options.rank,
  )
  search.rankBy(rank)
  const headStarts = new SiteHeadStarts(rank.book)
  frontier.giveHeadStarts((authority) => headStarts.of(authority))
  const schedules = new ScheduledJobs({
    ...{ clock, log, jobs },
    book: network?.shared?.schedules ?? frontier.schedules,
    isOurs: (id) => network === undefined || network.beginsRuns(ringKeyOf(id)),
  })
  const watching = await openWatches(
    { platform, log, archive, changes, rules, jobs },
    options.server.home,
    options.crawler.allowed,
  )
  const events = new JobEvents({ jobs, clock })
  const downloads = new Spool({ disk }, join(options.server.home, 'downloads'))
  const { takedowns } = network?.shared ?? {}
  const service = new PeerArchive({ archive, store, takedowns, crawler, downloads }, options.crawler.allowed)
  const machine = () => ({ ...platform.machine(), version, positions: 0 })
  const status =
    network?.status ?? new SolitaryStatus({ store, browser: () => crawler.showing.status, machine })
  const health = new PeerMetrics({
    own: () => status.own(),
    counts: () => crawl.counts,
    isOnNetwork: network !== undefined,
  })
  const paths = await platform.openPaths(options.server.home, options.server.folders ?? [])
  const importedBy = await new MembershipFiles(options.server.home, platform).peer()
  const captures = new ImportedCaptures({
    elsewhere: network?.contents,
    spread,
    note: (url) => search.note(url),
  })
  const { home } = options.server
  const uploads = new Uploads({ disk, spool: downloads }, home, options.uploads ?? uploadLimitsDefault)
  const imports = new PeerImports({ store, clock, disk, paths, uploads, captures, importedBy })
  const storeService = new PeerStoreService({ store, clock, disk, paths })
  const anchors = await openAnchors({ platform, proof, log }, options.server.home, options.anchors)
  const upload = new BackgroundUpload({ store, clock, log })
  const scrub = options.scrub && new BackgroundScrub({ store, clock, log }, options.scrub)
  const tables = tablesOf(
    {
      platform,
      archive: storeArchive(store),
      store,
      graph: crawler.graph,
      jobs: own,
      changes,
      network: { archive, links: links.service },
    },
    join(options.server.home, 'tables'),
  )
  const remoteInclusion: ProofNeeds['remoteInclusion'] = async (...asked) =>
    network?.logs?.inclusion(...asked)
  const proofs = new ProofService({ archive, proof, spool: downloads, remoteInclusion })
  const openedConsole = await openConsole(
    {
      platform,
      log,
      store,
      frontier,
      rules,
      jobs,
      ownJobs: own,
      service,
      network,
      control: options.control ?? noControl,
      status: () => status.status(),
    },
    options.server.home,
  )
  const closeParts = async () => {
    await openedConsole.close()
    await tables.close()
    await schedules.close()
    await watching.close()
    await upload.close()
    await scrub?.close()
    await anchors?.close()
    await reading?.pages.close()
    await search.close()
    await rank.close()
    await links.close()
    await changes.close()
    await network?.close()
    await crawler.close()
    await proof.close()
    await crawlLog.close()
  }
  try {
    const server = await startPeerServer(
      { platform, log },
      options.server,
      async ({ origins, instance, owner }) => {
        const mementos = new MementoLinks(origins.archive)
        const timeGate = new TimeGate({ archive, links: mementos })
        reading = await openReading({
          platform,
          archive,
          store,
          siteNames: network?.sites,
          totals: () => store.stat(),
          networkStatus: () => status.status(),
          isPartial: network?.partial.isNoted,
          jobs,
          schedules,
          owner,
          settings: options.settings,
          visits,
          links: links.service,
          search: search.offered,
          ranks: rank.service,
          tables,
          rules,
          watching,
          console: openedConsole.console,
          jobDetails: openedConsole.jobDetails,
          timeGate,
          origins,
        })
        const routes = [
          ...proofRoutes({ archive, proofs }),
          ...interfaceRoutes({
            archive,
            clock,
            service,
            imports,
            storeService,
            jobs,
            events,
            jobDetails: openedConsole.jobDetails,
            visits,
            changes,
            rules,
            schedules,
            links: mementos,
            timeGate,
            instance,
          }),
          ...owner.routes(),
          ...seedListRoutes({
            lists: { seedsAt: (url) => seedsAt(platform, url, { folder, ...options.crawler }) },
          }),
          ...statusRoutes({ service: status }),
          ...healthRoutes({ health }),
          ...linkRoutes({ links: links.service }),
          ...searchRoutes({ search: search.service }),
          ...rankRoutes({ ranks: rank.service }),
          ...tableRoutes({ tables }),
          ...watchRoutes({ ...watching, origin: origins.archive }),
          ...webhookRoutes(watching),
          ...feedRoutes({ ...watching, origin: origins.archive }),
          ...adminRoutes({ console: openedConsole.console }),
          ...(options.reloadSettings ? settingsRoutes({ reload: options.reloadSettings }) : []),
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
    if (!store.isReadOnly) upload.start()
    schedules.start()
    watching.start(server.origins.archive)
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
        changes.stop()
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
