// `polyhistor crawl URL…`: crawls to the end, or until it is paused. The same command goes on where it was; once it has
// come to its end, it visits everything anew.

import { join } from 'node:path'
import {
  adviceOn,
  type CrawlEvent,
  type CrawlerOptions,
  checkTypes,
  type JobOptions,
  missingParts,
  openCrawler,
  openCrawlLog,
  outcomeOf,
  type PageThreads,
  pageThreadCount,
  parseAddressRange,
  politenessDefault,
  politenessOff,
  userAgentOf,
} from '../../../app/crawl/crawler.ts'
import type { SeedList } from '../../../app/crawl/seed-source.ts'
import { HomeProof } from '../../../app/proof/home-proof.ts'
import { realPlatform } from '../../../app/real-platform.ts'
import { bytes, duration, type Kind } from '../../../config/kinds.ts'
import type { JobPriority } from '../../../model/jobs/job-service.ts'
import type { BrowserUse } from '../../../model/jobs/site-rule.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import { version } from '../../../version.ts'
import type { Context } from '../../context.ts'
import type { ExitCode } from '../../exit-codes.ts'
import { readInputBytes } from '../../input/input-text.ts'
import { optionValue } from '../../input/option-values.ts'
import { listenForInterruption } from '../../interruption.ts'
import { CrawlProgress } from '../../output/crawl-progress.ts'
import { reportEnd } from '../../output/crawl-report.ts'
import { crawlThrough } from '../../peer/handed-crawl.ts'
import { runningPeer } from '../../peer/running-peer.ts'
import { withProfile, withProfileWishes } from '../../profile-crawling.ts'
import { concurrencyDefault } from '../../tree/shared-options.ts'
import { UsageError } from '../../usage-error.ts'
import { withStore } from '../../with-store.ts'

export interface CrawlCommandOptions {
  depth?: number
  scope?: JobOptions['scope']
  include?: string[]
  exclude?: string[]
  pages?: number
  bytes?: string
  time?: string
  types: string
  delay?: number
  concurrency: number
  sitemaps?: boolean
  browser?: 'auto' | 'always' | 'never'
  userAgent?: string
  allowAddress?: string[]
  insecure?: boolean
  seeds?: string
  priority?: JobPriority
  every?: string
  cron?: string
  at?: string
  ignoreRobots?: boolean
}

/** Visits under way get this long to end after Ctrl-C. */
const graceMs = 10_000

export async function crawlUrls(
  context: Context,
  words: string[],
  options: CrawlCommandOptions,
  threads: PageThreads,
): Promise<ExitCode> {
  const seeds = await seedsOf(context, words, options)
  const job = jobOptions(seeds, await withProfileWishes(context, options))
  const { every, cron, at, priority } = options
  if (every !== undefined || cron !== undefined || at !== undefined) {
    await threads.close()
    checkHandable(options)
    // Brings a hundred and fifty modules, those of keys and memberships among them, that a crawl has no use for.
    const { addSchedule } = await import('./schedules.ts')
    return addSchedule(context, { ...job, priority }, { every, cron, at })
  }
  const peer = await runningPeer(context)
  if (peer === undefined) {
    const crawler = await withProfile(
      context,
      crawlerOptions(context, options),
      options.browser !== undefined,
    )
    return crawlHere(context, job, { ...crawler, pageThreads: threads })
  }
  await threads.close()
  checkHandable(options)
  const { job: ended, wasStopped } = await crawlThrough(context, peer, { ...job, priority })
  return reportEnd(context, { ...ended, wasStopped })
}

function crawlHere(context: Context, job: JobOptions, options: CrawlerOptions): Promise<ExitCode> {
  return withStore(context, async (store) => {
    const folder = join(context.home.folder, 'crawl')
    const platform = realPlatform()
    const log = await openCrawlLog(platform, folder)
    let progress: CrawlProgress | undefined
    const watch = {
      happened(event: CrawlEvent) {
        log.append(event)
        progress?.happened(event)
      },
    }
    const tell = (sentence: string) => context.terminal.tell(sentence)
    const proving = { platform, store, log: context.log }
    const proof = await HomeProof.open(proving, context.home.folder, options)
    const crawler = await openCrawler({ platform, store, watch, tell, proof }, folder, options)
    try {
      await crawler.showing.prepare()
      let view = crawler.frontier.jobs.open(job)
      if (view.state === 'paused') crawler.frontier.jobs.resume(view.id)
      else if (view.state === 'done') view = crawler.frontier.jobs.restart(view.id)
      const { frontier, crawl } = crawler
      progress = new CrawlProgress(context, () => ({
        counts: crawl.counts,
        counters: frontier.jobs.find(view.id)!.counters,
        underWay: crawl.underWay,
      }))
      const wasStopped = await runUntilStopped(context, crawler, progress)
      if (wasStopped) crawler.frontier.jobs.pause(view.id)
      const ended = frontier.jobs.find(view.id)!
      return await reportEnd(context, {
        ...ended,
        counts: crawl.counts,
        outcome: outcomeOf(ended),
        missing: missingParts(ended.missed),
        advice: adviceOn(ended.missed),
        wasStopped,
      })
    } finally {
      // Both wait for the disk, and not for each other: nothing is captured any more.
      await Promise.all([crawler.close(), proof.close()])
      await log.close()
    }
  })
}

/** How a peer crawls is its own affair, for all its jobs: a crawl that wants it otherwise must not be done so. */
function checkHandable(options: CrawlCommandOptions): void {
  const wanted = Object.entries(peersOwn).filter(([, isWanted]) => isWanted(options))
  if (wanted.length === 0) return
  throw new UsageError(
    `A peer runs on this home and crawls as it was started: ${wanted.map(([name]) => name).join(', ')} cannot be chosen for one crawl. Start the peer with it, where it takes it, or stop the peer first.`,
  )
}

const peersOwn: Record<string, (options: CrawlCommandOptions) => boolean> = {
  '--delay': ({ delay }) => delay !== undefined,
  '--concurrency': ({ concurrency }) => concurrency !== concurrencyDefault,
  '--user-agent': ({ userAgent }) => userAgent !== undefined,
  '--allow-address': ({ allowAddress }) => (allowAddress ?? []).length > 0,
  '--insecure': ({ insecure }) => insecure === true,
  '--ignore-robots': ({ ignoreRobots }) => ignoreRobots === true,
}

async function runUntilStopped(
  { terminal }: Context,
  crawler: Awaited<ReturnType<typeof openCrawler>>,
  progress: CrawlProgress,
): Promise<boolean> {
  const abort = new AbortController()
  const interruption = listenForInterruption((sentence) => terminal.tell(sentence))
  interruption.signal.addEventListener('abort', () => setTimeout(() => abort.abort(), graceMs).unref())
  progress.start()
  try {
    await crawler.crawl.run({ stop: interruption.signal, abort: abort.signal })
  } finally {
    progress.end()
    interruption.release()
  }
  return interruption.signal.aborted
}

async function seedsOf(context: Context, words: string[], options: CrawlCommandOptions): Promise<string[]> {
  const found = words.map((word) => urlFromTyped(word).href)
  if (options.seeds !== undefined) found.push(...(await listedSeeds(context, options.seeds, options)))
  if (found.length === 0)
    throw new UsageError('Say what to crawl: URLs, or --seeds FILE with a list of them.')
  return found
}

async function listedSeeds(
  context: Context,
  source: string,
  { allowAddress = [], insecure = false }: CrawlCommandOptions,
): Promise<readonly string[]> {
  const { home, terminal } = context
  const { seedFileBytesMax, seedsAt, seedsIn } = await import('../../../app/crawl/seed-source.ts')
  const how = { folder: join(home.folder, 'crawl'), allowed: allowAddress.map(parseAddressRange), insecure }
  const isOnWeb = /^https?:\/\//i.test(source)
  // Which addresses may be asked is the peer's affair, where it crawls.
  const peer = isOnWeb ? await runningPeer(context) : undefined
  const list =
    peer !== undefined
      ? await peer.post<Omit<SeedList, 'sitemaps'>>('/api/v1/seed-lists', { url: urlFromTyped(source).href })
      : isOnWeb
        ? await seedsAt(realPlatform(), urlFromTyped(source), how)
        : await seedsIn(realPlatform(), await readInputBytes(source, seedFileBytesMax), how)
  if (list.format !== 'lines' || list.skipped > 0)
    terminal.tell(
      `${source}: ${list.urls.length} URLs of a list (${list.format})${list.skipped === 0 ? '' : `, ${list.skipped} left out`}`,
    )
  return list.urls
}

function jobOptions(seeds: string[], options: CrawlCommandOptions): JobOptions {
  return {
    seeds,
    scope: options.scope ?? 'host',
    depth: options.depth,
    include: options.include,
    exclude: options.exclude,
    budgets: {
      pages: options.pages,
      bytes: budgetOf(bytes, '--bytes', options.bytes),
      timeMs: budgetOf(duration, '--time', options.time),
    },
    types: checkTypes(options.types),
    sitemaps: options.sitemaps === true ? true : undefined,
    browser: options.browser,
  }
}

function budgetOf(kind: Kind<number>, option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const budget = optionValue(kind, option, text)
  if (budget > 0) return budget
  throw new UsageError(`${option} is 0, with which nothing could be crawled. Leave it out for no limit.`)
}

function browserUse(
  mode: BrowserUse,
  { browser }: Pick<CrawlCommandOptions, 'browser'>,
  { values }: Context['configuration'],
) {
  return {
    mode,
    path: values['crawl.browserPath'],
    behaves: values['crawl.behaviours'],
    isRequired: browser === 'always',
  }
}

export function crawlerOptions(
  { configuration }: Pick<Context, 'configuration'>,
  options: Omit<CrawlCommandOptions, 'scope' | 'types'>,
) {
  const { delay } = options
  const retryWaitMs = configuration.values['crawl.retryWait']
  const mode = options.browser ?? configuration.values['crawl.browser']
  const politeness = delay === 0 ? politenessOff : { ...politenessDefault, delayMs: delay }
  return {
    concurrency: options.concurrency,
    obeysRobots: options.ignoreRobots !== true,
    obeysDirectives: options.ignoreRobots !== true,
    flushMs: 1_000,
    userAgent: options.userAgent ?? userAgentOf(version, configuration.values['crawl.contact']),
    allowed: (options.allowAddress ?? []).map(parseAddressRange),
    insecure: options.insecure === true,
    politeness: { ...politeness, retryWaitMs },
    threads: pageThreadCount,
    keepsLinks: configuration.values['crawl.links'],
    signs: configuration.values['crawl.sign'],
    browser: browserUse(mode, options, configuration),
  }
}
