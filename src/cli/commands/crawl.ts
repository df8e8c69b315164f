// `polyhistor crawl URL…`: crawls to the end, or until it is paused. The same command goes on where it was; once it has
// come to its end, it visits everything anew.

import { createReadStream } from 'node:fs'
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
} from '../../app/crawl/crawler.ts'
import { realPlatform } from '../../app/real-platform.ts'
import { bytes, duration, type Kind } from '../../config/kinds.ts'
import { urlFromTyped } from '../../model/url.ts'
import { version } from '../../version.ts'
import type { Context } from '../context.ts'
import type { ExitCode } from '../exit-codes.ts'
import { InputFileError } from '../input/input-file-error.ts'
import { readLines } from '../input/lines.ts'
import { optionValue } from '../input/option-values.ts'
import { listenForInterruption } from '../interruption.ts'
import { CrawlProgress } from '../output/crawl-progress.ts'
import { reportEnd } from '../output/crawl-report.ts'
import { crawlThrough } from '../peer/handed-crawl.ts'
import { runningPeer } from '../peer/running-peer.ts'
import { concurrencyDefault } from '../tree/shared-options.ts'
import { UsageError } from '../usage-error.ts'
import { withStore } from '../with-store.ts'

export interface CrawlCommandOptions {
  depth?: number
  scope: JobOptions['scope']
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
  const job = jobOptions(await seedsOf(words, options), options)
  const peer = await runningPeer(context)
  if (peer === undefined)
    return crawlHere(context, job, { ...crawlerOptions(context, options), pageThreads: threads })
  await threads.close()
  checkHandable(options)
  const { job: ended, wasStopped } = await crawlThrough(context, peer, job)
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
    const crawler = await openCrawler({ platform, store, watch }, folder, options)
    try {
      let view = crawler.frontier.openJob(job)
      if (view.state === 'paused') crawler.frontier.resumeJob(view.id)
      else if (view.state === 'done') view = crawler.frontier.restartJob(view.id)
      const { frontier, crawl } = crawler
      progress = new CrawlProgress(context, () => ({
        counts: crawl.counts,
        counters: frontier.job(view.id)!.counters,
        underWay: crawl.underWay,
      }))
      const wasStopped = await runUntilStopped(context, crawler, progress)
      if (wasStopped) crawler.frontier.pauseJob(view.id)
      const ended = frontier.job(view.id)!
      return await reportEnd(context, {
        ...ended,
        counts: crawl.counts,
        outcome: outcomeOf(ended),
        missing: missingParts(ended.missed),
        advice: adviceOn(ended.missed),
        wasStopped,
      })
    } finally {
      await crawler.close()
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
  '--browser': ({ browser }) => browser !== undefined,
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

async function seedsOf(words: string[], { seeds }: CrawlCommandOptions): Promise<string[]> {
  const found = words.map((word) => urlFromTyped(word).href)
  if (seeds !== undefined) {
    const lines = readLines(seeds === '-' ? process.stdin : chunksOf(seeds))
    for await (const line of lines) if (!/^\s*(#|$)/.test(line)) found.push(urlFromTyped(line).href)
  }
  if (found.length === 0) throw new UsageError('Say what to crawl: URLs, or --seeds FILE with one a line.')
  return found
}

async function* chunksOf(file: string): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(file)
  } catch (error) {
    throw new InputFileError(file, error)
  }
}

function jobOptions(seeds: string[], options: CrawlCommandOptions): JobOptions {
  return {
    seeds,
    scope: options.scope,
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
  }
}

function budgetOf(kind: Kind<number>, option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const budget = optionValue(kind, option, text)
  if (budget > 0) return budget
  throw new UsageError(`${option} is 0, with which nothing could be crawled. Leave it out for no limit.`)
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
    userAgent: options.userAgent ?? userAgentOf(version),
    allowed: (options.allowAddress ?? []).map(parseAddressRange),
    insecure: options.insecure === true,
    politeness: { ...politeness, retryWaitMs },
    threads: pageThreadCount,
    browser: mode === 'never' ? undefined : { mode, path: configuration.values['crawl.browserPath'] },
  }
}
