// The crawler of a home: frontier, web, robots and archive put together.

import { join } from 'node:path'
import { AddressGuard } from '../../crawl/address/address-guard.ts'
import type { AddressRange } from '../../crawl/address/address-range.ts'
import { PageShowing } from '../../crawl/browser/page-showing.ts'
import { Crawl, type CrawlOptions } from '../../crawl/crawl.ts'
import type { CrawlWatch } from '../../crawl/crawl-report.ts'
import { Fetcher } from '../../crawl/fetch/fetcher.ts'
import { fetchLimits } from '../../crawl/fetch/limits.ts'
import { CrawlLog } from '../../crawl/frontier/crawl-log.ts'
import { Frontier } from '../../crawl/frontier/frontier.ts'
import { frontierTables } from '../../crawl/frontier/frontier-tables.ts'
import type { PolitenessRules } from '../../crawl/politeness/politeness-rules.ts'
import { termsFor } from '../../crawl/recrawl/fresh-rules.ts'
import type { SiteTerms } from '../../crawl/recrawl/page-visits.ts'
import type { IntervalBounds } from '../../crawl/recrawl/visit-interval.ts'
import { RobotsCache } from '../../crawl/robots/robots-cache.ts'
import { PageReader } from '../../crawl/visit/page-reader.ts'
import type { PageRead, PageWork } from '../../crawl/visit/page-work.ts'
import { PageVisitor } from '../../crawl/visit/visit.ts'
import type { Compression } from '../../formats/warc/compression/compression.ts'
import type { Url } from '../../model/url.ts'
import { Batcher } from '../../platform/batcher.ts'
import type { WebLimits } from '../../platform/web.ts'
import type { Workers } from '../../platform/workers.ts'
import type { Capture } from '../../store/capture.ts'
import type { Store } from '../../store/store.ts'
import { recordDictionary } from '../../store/volumes/record-dictionary.ts'
import type { Platform } from '../platform.ts'
import type { ContentsElsewhere } from '../store/store-elsewhere.ts'
import { PageEffort } from '../threads/page-effort.ts'
import type { PageTask } from '../threads/page-task.ts'
import type { PageThreads } from '../threads/page-threads.ts'
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

/** Who we are, and where to read what we do. */
export function userAgentOf(version: string): string {
  return `polyhistor/${version} (+https://polyhistor.org/crawler)`
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
  /** Threads that read pages. */
  readonly threads: number
  /** As many, when they are there already. They are closed with the crawler. */
  readonly pageThreads?: PageThreads | undefined
}

interface BrowserUse {
  /** `auto`: only pages of which a browser would see more. */
  readonly mode: 'auto' | 'always'
  /** Of the machine's own; '' for any. */
  readonly path: string
}

export interface Crawler {
  readonly frontier: Frontier
  readonly robots: RobotsCache
  readonly crawl: Crawl
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
  const web = await platform
    .startWeb({ spoolFolder: join(folder, 'spool') })
    .catch(async (error: unknown) => {
      await map.close()
      throw error
    })
  const pages = options.pageThreads ?? platform.threads.pages(options.threads)
  const workers = pageWorkers(pages, store.compression, options.threads)
  const frontier = new Frontier(
    { keyValue: map, clock, random },
    {
      politeness: options.politeness,
      recrawlTermsOf: (url) => termsOf(url, options),
      whenMany: () => platform.keepHeapSmall(),
    },
  )
  const guard = new AddressGuard(options.allowed)
  const reading = new PageReader({ workers }, userAgent)
  const archive = new StoreArchive(
    store,
    spread,
    options.contentsElsewhere,
    new Batcher({ clock }, departures, async () => []),
  )
  const fetcher = new Fetcher(
    { web, clock },
    { userAgent, allow: guard, insecure, limits: options.limits ?? fetchLimits },
  )
  const visiting = new PageVisitor({ fetcher, archive, reading }, { userAgent, obeysDirectives })
  const robots = new RobotsCache({ notes: frontier, pace: frontier, fetcher, archive, clock }, userAgent)
  const browser = options.browser && (await platform.startBrowser(options.browser))
  const parts = { visiting, archive, frontier, robots, guard, clock }
  const showing = browser && new PageShowing({ ...parts, browser }, options.browser)
  const crawl = new Crawl({ ...parts, watch, showing }, options)
  return {
    frontier,
    robots,
    crawl,
    close: async () => {
      await frontier.flush()
      await browser?.close()
      await web.close()
      await workers.close()
      await map.close()
    },
  }
}

function pageWorkers(
  workers: Workers<PageTask, PageRead>,
  stored: Compression,
  threads: number,
): Workers<PageWork, PageRead> {
  const compression = compressionToSend(stored)
  const effort = compression && new PageEffort(compression, threads)
  return {
    run: (page, transfer) => {
      if (effort === undefined) return workers.run({ ...page, compression }, transfer)
      return effort.spend((compression) => workers.run({ ...page, compression }, transfer))
    },
    close: () => workers.close(),
  }
}

function compressionToSend(compression: Compression): Compression | undefined {
  if (compression.kind !== 'zstd') return compression
  const { dictionary, ...rest } = compression
  return dictionary === recordDictionary ? rest : undefined
}

function termsOf(url: Url, { freshness, politeness }: CrawlerOptions): SiteTerms {
  return termsFor(politeness, freshness?.get(url.site) ?? freshness?.get(''))
}

/** What happened to each URL. */
export function openCrawlLog(platform: Pick<Platform, 'disk' | 'clock'>, folder: string): Promise<CrawlLog> {
  return CrawlLog.open(platform, join(folder, 'log'))
}
