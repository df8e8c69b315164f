// A crawler in this process, for what no command-line option can change: the limits of a fetch, and politeness in
// milliseconds where it is usually in seconds.

import { join } from 'node:path'
import { type CrawlEvent, type CrawlerOptions, openCrawler } from '../../src/app/crawl/crawler.ts'
import { localCrawling } from '../../src/app/fixtures/crawler-options.ts'
import { realPlatform } from '../../src/app/real-platform.ts'
import { openStore } from '../../src/app/store/store-library.ts'

const defaults: CrawlerOptions = { ...localCrawling, concurrency: 64 }

/** Crawls to the end, and tells what happened. */
export async function crawlHere(
  home: string,
  seeds: readonly string[],
  options: Partial<CrawlerOptions>,
): Promise<CrawlEvent[]> {
  const events: CrawlEvent[] = []
  const watch = { happened: (event: CrawlEvent) => void events.push(event) }
  const store = await openStore(join(home, 'store'))
  try {
    const crawler = await openCrawler({ platform: realPlatform(), store, watch }, join(home, 'crawl'), {
      ...defaults,
      ...options,
    })
    try {
      crawler.frontier.jobs.open({ seeds, scope: 'any', budgets: {} })
      const never = new AbortController().signal
      await crawler.crawl.run({ stop: never, abort: never })
    } finally {
      await crawler.close()
    }
  } finally {
    await store.close()
  }
  return events
}
