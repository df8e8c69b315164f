// The other peers of a network, as a crawl needs them. A joint gives it; a peer that is alone has none.

import type { RingKey } from '../record/ring-key.ts'
import type { Url } from '../record/url.ts'
import type { Discovery } from './frontier/discovery.ts'

export interface CrawlNetwork {
  /** Whether this peer crawls the site, now. */
  isHere(site: RingKey): boolean
  /** Resolves when it is sure that whoever crawls their sites will get them. */
  forward(discoveries: readonly Discovery[]): Promise<void>
  /** A seed led there, outside of the job's scope: from now on it is inside, for every peer. */
  adopt(jobId: string, url: Url): Promise<void>
}
