// The other peers of a network, as a crawl needs them. `app/` supplies it; a peer without a network has none.

import type { RingKey } from '../model/ring-key.ts'
import type { Url } from '../model/url.ts'
import type { Discovery } from './frontier/discovery.ts'

export interface CrawlNetwork {
  /** Whether this peer crawls the site, now. */
  isHere(site: RingKey): boolean
  /** Resolves when what was queued here so far for these sites survives the loss of this peer; rejects with a PolyhistorError
   * when that cannot be had. */
  waitUntilSafe(sites: readonly RingKey[]): Promise<void>
  /** Resolves when whoever crawls their sites has them, safe; or, when that takes long or the crawl is to stop, when it is sure
   * that they will get them as long as this peer's disk lives. */
  forward(discoveries: readonly Discovery[], stop: AbortSignal): Promise<void>
  /** A seed led there, outside of the job's scope: from now on it is inside, for every peer. */
  adopt(jobId: string, url: Url): Promise<void>
}
