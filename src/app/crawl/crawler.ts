// The crawler of a home: frontier, web, robots and archive put together.

import { join } from 'node:path'
import { AddressGuard } from '../../crawl/address/address-guard.ts'
import type { AddressRange } from '../../crawl/address/address-range.ts'
import { ErrandFetching } from '../../crawl/browser/errand-fetching.ts'
import { PageBrowsers } from '../../crawl/browser/page-browsers.ts'
import { PageShowing, type ShowingOptions } from '../../crawl/browser/page-showing.ts'
import { SecondLooks } from '../../crawl/corroboration/second-looks.ts'
import { Crawl, type CrawlOptions } from '../../crawl/crawl.ts'
import type { CrawlWatch } from '../../crawl/crawl-report.ts'
import { Fetcher } from '../../crawl/fetch/fetcher.ts'
import { fetchLimits } from '../../crawl/fetch/limits.ts'
import { CrawlLog } from '../../crawl/frontier/crawl-log.ts'
import { Frontier } from '../../crawl/frontier/frontier.ts'
import { frontierTables } from '../../crawl/frontier/frontier-tables.ts'
import { LinkRecording } from '../../crawl/link-recording.ts'
import type { PolitenessRules } from '../../crawl/politeness/politeness-rules.ts'
import { termsFor } from '../../crawl/recrawl/fresh-rules.ts'
import type { SiteTerms } from '../../crawl/recrawl/page-visits.ts'
import type { IntervalBounds } from '../../crawl/recrawl/visit-interval.ts'
import { RobotsCache } from '../../crawl/robots/robots-cache.ts'
import { PageComparer } from '../../crawl/visit/page-comparer.ts'
import { PageReader } from '../../crawl/visit/page-reader.ts'
import { PageVisitor } from '../../crawl/visit/visit.ts'
import { graphTables, LinkGraph } from '../../graph/link-graph.ts'
import type { Url } from '../../model/url/url.ts'
import { Batcher } from '../../platform/batcher.ts'
import type { PageBrowser } from '../../platform/network/browser.ts'
import type { BrowserSession } from '../../platform/network/browser-session.ts'
import type { WebLimits } from '../../platform/network/web.ts'
import type { Capture } from '../../store/capture.ts'
import type { Store } from '../../store/store.ts'
import type { BrowserChoice, Platform } from '../platform.ts'
import type { HomeProof } from '../proof/home-proof.ts'
import type { ContentsElsewhere } from '../store/store-elsewhere.ts'
import type { PageThreads } from '../threads/page-threads.ts'
import { pageWorkers, versionWorkers } from '../threads/page-workers.ts'
import { StoreArchive } from './store-archive.ts'

export { parseAddressRange } from '../../crawl/address/address-range.ts'
export type { CrawlCounts, CrawlEvent } from '../../crawl/crawl-report.ts'
export type { CrawlLogLine } from '../../crawl/frontier/crawl-log.ts'
export type { JobOptions } from '../../crawl/frontier/jobs/crawl-job.ts'
export {
  adviceOn,
  isGap,
  type JobOutcome,
  missingParts,
  outcomeOf,
} from '../../crawl/jobs/job-outcome.ts'
export { politenessDefault, politenessOff } from '../../crawl/politeness/politeness-rules.ts'
export { explainRobots, type RobotsExplanation } from '../../crawl/robots/explain-robots.ts'
export { checkTypes } from '../../crawl/scope/type-filter.ts'

/** Who we are, and how to reach whoever runs it; no address that the operator does not own. */
export function userAgentOf(version: string, contact = ''): string {
  return contact === '' ? `polyhistor/${version}` : `polyhistor/${version} (+${contact})`
}

export { parseFresh } from '../../crawl/recrawl/fresh-rules.ts'
export { RecrawlLoop } from '../../crawl/recrawl/recrawl-loop.ts'

export { type PageThreads, pageThreadCount } from '../threads/page-threads.ts'

export interface CrawlerOptions extends CrawlOptions {
  /** How fresh sites are to be kept, by site; '' for all others. */
  readonly freshness?: ReadonlyMap<string, IntervalBounds> | undefined
  readonly userAgent: string
  readonly allowed: readonly AddressRange[]
  readonly insecure: boolean
  readonly obeysDirectives: boolean
  readonly politeness: PolitenessRules
  /** How much a fetch may cost; the usual limits unless told. */
  readonly limits?: WebLimits | undefined
  /** What other peers keep is not kept again. */
  readonly contentsElsewhere?: ContentsElsewhere | undefined
  /** Pages are shown in a browser, too. */
  readonly browser?: BrowserUse | undefined
  /** Links of pages are kept for the link graph; they are unless told otherwise. */
  readonly keepsLinks?: boolean | undefined
  /** Changes of pages become events, and are compared for that; they do unless told otherwise. */
  readonly keepsChanges?: boolean | undefined
  /** Who the sites are to think asks, where the home is a profile's. */
  readonly session?: BrowserSession | undefined
  /** Captures are signed in the name of this peer; they are unless told otherwise. */
  readonly signs?: boolean | undefined
  /** Threads that read pages. */
  readonly threads: number
  /** As many, when they are there already. They are closed with the crawler. */
  readonly pageThreads?: PageThreads | undefined
}

interface BrowserUse {
  /** `auto`: only pages of which a browser would see more. `never`: only where a crawl asks for it. */
  readonly mode: 'auto' | 'always' | 'never'
  /** Of the machine's own; '' for any. */
  readonly path: string
  /** Pages are scrolled, media played, and so on. */
  readonly behaves: boolean
  /** Without a browser there is no crawl. */
  readonly isRequired: boolean
}

export interface Crawler {
  /** Pages in browsers, once who crawls has looked for one (`prepare`). */
  readonly showing: PageShowing
  readonly browsers: PageBrowsers
  /** Parts of pages that other peers show. */
  readonly errands: ErrandFetching
  /** At pages, for peers that have them fetched again. */
  readonly looks: SecondLooks
  readonly frontier: Frontier
  readonly robots: RobotsCache
  readonly crawl: Crawl
  /** This peer's own. */
  readonly fetcher: Fetcher
  readonly guard: AddressGuard
  readonly userAgent: string
  /** The links of its pages. */
  readonly graph: LinkGraph
  close(): Promise<void>
}

/** Captures that are to be spread wait for others so long, or until there are so many, before they go to our own disk: it takes
 * longer until others have them. */
const departures = { everyMs: 250, enough: 32, itemsMax: Number.POSITIVE_INFINITY }

interface CrawlerNeeds {
  readonly platform: Platform
  readonly store: Store
  readonly watch: CrawlWatch
  /** A capture counts as kept when this has resolved too. */
  readonly spread?: ((capture: Capture) => Promise<void>) | undefined
  /** A word to the owner. */
  readonly tell?: ((sentence: string) => void) | undefined
  /** Captures are signed with its key, where there is one. */
  readonly proof?: Pick<HomeProof, 'signer'> | undefined
}

export async function openCrawler(
  needs: CrawlerNeeds,
  folder: string,
  options: CrawlerOptions,
): Promise<Crawler> {
  const { platform, store, watch, spread } = needs
  const { clock, random, keyValues } = platform
  const { userAgent, insecure, obeysDirectives } = options
  const map = await keyValues.open(join(folder, 'frontier'), { tables: frontierTables })
  const graph = new LinkGraph(await keyValues.open(join(folder, 'graph'), { tables: graphTables }))
  const web = await platform
    .startWeb({ spoolFolder: join(folder, 'spool') })
    .catch(async (error: unknown) => {
      await map.close()
      await graph.close()
      throw error
    })
  const pages = options.pageThreads ?? platform.threads.pages(options.threads)
  const workers = pageWorkers(
    pages,
    store.compression,
    options.threads,
    options.signs === false ? undefined : needs.proof?.signer.seed,
  )
  const frontier = new Frontier(
    { keyValue: map, clock, random },
    {
      politeness: options.politeness,
      recrawlTermsOf: (url) => termsOf(url, options),
      whenMany: () => platform.keepHeapSmall(),
    },
  )
  const guard = new AddressGuard(options.allowed)
  const keepsLinks = options.keepsLinks ?? true
  const reading = new PageReader({ workers }, userAgent, { isGraphed: keepsLinks })
  const archive = new StoreArchive(
    store,
    spread,
    options.contentsElsewhere,
    new Batcher({ clock }, departures, async () => []),
  )
  const fetcher = new Fetcher(
    { web, clock },
    {
      userAgent,
      allow: guard,
      insecure,
      limits: options.limits ?? fetchLimits,
      session: options.session,
    },
  )
  const keepsChanges = options.keepsChanges ?? true
  const comparing = keepsChanges ? new PageComparer({ workers: versionWorkers(pages) }) : undefined
  const visiting = new PageVisitor(
    { fetcher, archive, reading, comparing },
    { userAgent, obeysDirectives, keepsChanges },
  )
  const robots = new RobotsCache(
    { notes: frontier.notes, pace: frontier.hosts, fetcher, archive, clock },
    userAgent,
  )
  const startBrowser = (use: BrowserUse) =>
    platform.startBrowser({ ...browserChoice(folder, use, needs), session: options.session })
  const parts = { visiting, archive, frontier, robots, guard, clock }
  const browsers = await pageBrowsers(options.browser, startBrowser)
  const showing = new PageShowing({ ...parts, browsers }, showingOptions(options.browser, options.session))
  const links = keepsLinks ? new LinkRecording({ graph, frontier }) : undefined
  const isPersonal = options.session !== undefined
  const crawl = new Crawl({ ...parts, watch, showing, links, isPersonal }, options)
  return {
    frontier,
    robots,
    crawl,
    fetcher,
    guard,
    userAgent,
    showing,
    browsers,
    graph,
    errands: new ErrandFetching(parts),
    looks: new SecondLooks({ ...parts, fetcher }),
    close: async () => {
      await frontier.flush()
      await browsers.close()
      await web.close()
      await workers.close()
      await graph.close()
      await map.close()
    },
  }
}

function showingOptions(use: BrowserUse | undefined, session: BrowserSession | undefined): ShowingOptions {
  const { mode: chosen = 'never', isRequired, behaves = true } = use ?? {}
  // Of those that a rule or another peer's browser leave to us.
  const mode = chosen === 'never' ? 'auto' : chosen
  const limits = { ...(!behaves && { behaviourMsMax: 0 }), isReadOnly: session !== undefined }
  return { mode, isRequired, limits }
}

async function pageBrowsers(
  use: BrowserUse | undefined,
  start: (use: BrowserUse) => Promise<PageBrowser>,
): Promise<PageBrowsers> {
  if (use === undefined) return new PageBrowsers(undefined)
  return use.mode === 'never'
    ? new PageBrowsers(undefined, () => start(use))
    : new PageBrowsers(await start(use))
}

function browserChoice(
  folder: string,
  { path }: BrowserUse,
  { tell = () => {} }: Pick<CrawlerNeeds, 'tell'>,
): BrowserChoice {
  return { path, folder: join(folder, 'browser'), fetchFolder: join(folder, 'fetched-browser'), tell }
}

function termsOf(url: Url, { freshness, politeness }: CrawlerOptions): SiteTerms {
  return termsFor(politeness, freshness?.get(url.site) ?? freshness?.get(''))
}

/** What happened to each URL. */
export function openCrawlLog(platform: Pick<Platform, 'disk' | 'clock'>, folder: string): Promise<CrawlLog> {
  return CrawlLog.open(platform, join(folder, 'log'))
}
