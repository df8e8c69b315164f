// The crawler of a home for commands that only ask: what the frontier knows, one robots.txt, the log. Nothing is crawled, and on a
// disk that is full or read-only nothing is written.

import { join } from 'node:path'
import { CrawlLog } from '../../crawl/frontier/crawl-log.ts'
import { politenessDefault } from '../../crawl/politeness/politeness-rules.ts'
import { isUnwritable } from '../../platform/real/unwritable.ts'
import type { Store } from '../../store/store.ts'
import { realPlatform, realReadingPlatform } from '../real-platform.ts'
import { type Crawler, type CrawlerOptions, openCrawler } from './crawler.ts'

export async function openCrawlerToAsk(
  folder: string,
  store: Store,
  { userAgent, allowed, browser }: Pick<CrawlerOptions, 'userAgent' | 'allowed' | 'browser'>,
): Promise<Crawler> {
  const options: CrawlerOptions = {
    userAgent,
    allowed,
    insecure: false,
    obeysDirectives: true,
    obeysRobots: true,
    politeness: politenessDefault,
    concurrency: 1,
    threads: 1,
    flushMs: 1_000,
    browser,
  }
  const watch = { happened() {} }
  const openUnwritten = (): Promise<Crawler> =>
    openCrawler({ platform: realReadingPlatform(), store, watch }, folder, options)
  if (store.isReadOnly) return openUnwritten()
  try {
    return await openCrawler({ platform: realPlatform(), store, watch }, folder, options)
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return openUnwritten()
  }
}

/** To look at it: not even its folder is made. */
export function openCrawlLogToRead(folder: string): Promise<CrawlLog> {
  return CrawlLog.open(realReadingPlatform(), join(folder, 'log'))
}
