// The other peers of a network, as a crawl needs them. `app/` supplies it; a peer without a network has none.

import type { LinkMention } from '../model/page-link.ts'
import type { RingKey } from '../model/ring-key.ts'
import type { Url } from '../model/url/url.ts'
import type { Discovery } from './frontier/discovery.ts'

/** Of a link to this URL. */
export interface SentMention extends LinkMention {
  readonly url: Url
}

export interface CrawlNetwork {
  /** Whether this peer crawls the site, now. */
  isHere(site: RingKey): boolean
  /** Resolves when what was queued here so far for these sites survives the loss of this peer; rejects with a PolyhistorError
   * when that cannot be had. */
  waitUntilSafe(sites: readonly RingKey[]): Promise<void>
  /** Resolves when whoever crawls their sites has them, safe; or, when that takes long or the crawl is to stop, when it is sure
   * that they will get them as long as this peer's disk lives. */
  forward(discoveries: readonly Discovery[], stop: AbortSignal): Promise<void>
  /** Resolves when it is sure that the peers of the targets' sites will hear of it, as long as this peer's disk lives. */
  mention(mentions: readonly SentMention[]): Promise<void>
  /** A seed led there, outside of the job's scope: from now on it is inside, for every peer. */
  adopt(jobId: string, url: Url): Promise<void>
}
