// The peer: an archive that is read over HTTP while it crawls. Joins store, crawler, replay, pages and interfaces.
//
// A request's life: the server reads it (world/real/http-server.ts), the API finds host and route and asks who may
// (api/api.ts), the route's part answers (peer-routes.ts lists them all), the server writes it as fast as it is read.

import { join } from 'node:path'
import { JobEvents } from './api/v1/job-events.ts'
import type { CrawlEvent, CrawlerOptions } from './crawler.ts'
import { KeepingFresh, openCrawler, openCrawlLog, realClock } from './crawler.ts'
import { PeerJobs } from './peer-jobs.ts'
import { peerParts } from './peer-routes.ts'
import { type PeerServer, type PeerServerOptions, startPeerServer } from './peer-server.ts'
import type { Store } from './store/store.ts'
import type { Log } from './world/log.ts'

export interface PeerOptions {
  readonly server: PeerServerOptions
  readonly crawler: CrawlerOptions
}

export interface Peer {
  readonly server: PeerServer
  readonly counts: object
  /** Crawls until stopped. Rejects when crawling cannot go on; reading can all the same. */
  crawl(signals: { stop: AbortSignal; abort: AbortSignal }): Promise<void>
  close(): Promise<void>
}

export async function openPeer(needs: { store: Store; log: Log }, options: PeerOptions): Promise<Peer> {
  const { store, log } = needs
  const folder = join(options.server.home, 'crawl')
  const crawlLog = await openCrawlLog(folder)
  const watch = {
    happened(event: CrawlEvent) {
      crawlLog.append(event)
      jobs.happened(event)
      events.happened(event)
    },
  }
  const crawler = await openCrawler(folder, store, options.crawler, watch)
  const { frontier, crawl } = crawler
  const keeping = new KeepingFresh({ frontier, crawl, clock: realClock })
  const jobs = new PeerJobs({ crawler, crawlLog, wake: () => keeping.wake() })
  const events = new JobEvents({ jobs, clock: realClock })
  const closeCrawler = async () => {
    await crawler.close()
    await crawlLog.close()
  }
  try {
    const server = await startPeerServer({ log }, options.server, (place) =>
      peerParts({ store, crawler, jobs, events, log, ...place }),
    )
    return {
      server,
      counts: crawl.counts,
      crawl: (signals) => keeping.run(signals),
      close: async () => {
        events.close()
        await server.close()
        await closeCrawler()
      },
    }
  } catch (error) {
    await closeCrawler()
    throw error
  }
}
