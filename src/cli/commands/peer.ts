// `polyhistor peer`: runs until it is stopped, and keeps fresh what the archive knows.

import { join } from 'node:path'
import {
  type CrawlEvent,
  KeepingFresh,
  openCrawler,
  openCrawlLog,
  parseFresh,
  realClock,
} from '../../crawler.ts'
import { siteOf } from '../../record/site.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { listenForInterruption } from '../interruption.ts'
import { UsageError } from '../usage-error.ts'
import { withStore } from '../with-store.ts'
import { type CrawlCommandOptions, crawlerOptions } from './crawl.ts'

interface Options
  extends Pick<
    CrawlCommandOptions,
    'delay' | 'concurrency' | 'userAgent' | 'allowAddress' | 'insecure' | 'ignoreRobots'
  > {
  fresh?: string[]
}

/** Visits under way get this long to end. */
const graceMs = 10_000
const tellMs = 60_000

export async function runPeer(context: Context, _words: string[], options: Options): Promise<ExitCode> {
  const { log } = context
  const freshness = freshRules(options.fresh ?? [])
  return withStore(context, async (store) => {
    const folder = join(context.home.folder, 'crawl')
    const crawlLog = await openCrawlLog(folder)
    const watch = { happened: (event: CrawlEvent) => crawlLog.append(event) }
    const settings = { ...crawlerOptions({ ...options, scope: 'page', types: 'all' }), freshness }
    const crawler = await openCrawler(folder, store, settings, watch)
    const interruption = listenForInterruption(() => log.info({}, 'Stopping: visits under way are ended'))
    const abort = new AbortController()
    interruption.signal.addEventListener('abort', () => setTimeout(() => abort.abort(), graceMs).unref())
    const teller = setInterval(
      () => log.info({ ...crawler.crawl.counts }, 'Keeping the archive fresh'),
      tellMs,
    )
    try {
      log.info({ home: context.home.folder, captures: (await store.stat()).captures }, 'The peer is up')
      const keeping = new KeepingFresh({ frontier: crawler.frontier, crawl: crawler.crawl, clock: realClock })
      await keeping.run({ stop: interruption.signal, abort: abort.signal })
      return exitCodes.ok
    } finally {
      clearInterval(teller)
      interruption.release()
      await crawler.close()
      await crawlLog.close()
      log.info({ ...crawler.crawl.counts }, 'The peer is down')
    }
  })
}

/** `1d` for all sites, `example.com=1h-1d` for one. */
function freshRules(texts: string[]): Map<string, ReturnType<typeof parseFresh>> {
  const rules = new Map<string, ReturnType<typeof parseFresh>>()
  for (const text of texts) {
    const equals = text.lastIndexOf('=')
    const site = equals < 0 ? '' : siteOf(text.slice(0, equals))
    if (equals === 0) throw new UsageError(`--fresh takes SPAN or SITE=SPAN, not ${JSON.stringify(text)}.`)
    rules.set(site, parseFresh(text.slice(equals + 1)))
  }
  return rules
}
