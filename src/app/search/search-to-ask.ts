// The search of a home without a running peer, for commands that only ask.

import { join } from 'node:path'
import type { Store } from '../../store/store.ts'
import { version } from '../../version.ts'
import { userAgentOf } from '../crawl/crawler.ts'
import { openCrawlerToAsk } from '../crawl/crawler-to-ask.ts'
import type { Platform } from '../platform.ts'
import { realPlatform, realReadingPlatform } from '../real-platform.ts'
import { MembershipFiles } from '../ring/membership-files.ts'
import { inlineSearch } from './inline-search.ts'
import { openPeerSearch, type PeerSearch } from './peer-search.ts'

export { type SearchJson, searchJson, searchQuestionOf } from '../../api/v1/archive/search-routes.ts'

/**
 * With all that is archived here: pages that are not indexed yet are read first. Where the disk is full or read-only, the index is
 * asked as it is.
 */
export async function withSearch<T>(
  home: string,
  store: Store,
  { isAnew }: { isAnew: boolean },
  work: (search: PeerSearch) => Promise<T>,
): Promise<T> {
  const options = { userAgent: userAgentOf(version), allowed: [] }
  const crawler = await openCrawlerToAsk(join(home, 'crawl'), store, options)
  const { graph } = crawler
  // How many peers keep the archive is not known without one that runs.
  const isShared = (await new MembershipFiles(home).network()) !== undefined
  const platform = store.isReadOnly ? readingPlatform() : realPlatform()
  const needs = { platform, store, graph, isPartOfArchive: isShared }
  const search = openPeerSearch(needs, join(home, 'search'), { pauseFactor: 0 })
  try {
    if (isAnew) await search.wipe()
    if (!store.isReadOnly) await search.catchUp()
    return await work(search)
  } finally {
    await search.close()
    await crawler.close()
  }
}

/** The index is read in this thread: one of its own would write beside it. */
function readingPlatform(): Platform {
  const platform = realReadingPlatform()
  return { ...platform, threads: { ...platform.threads, search: () => inlineSearch(platform) } }
}
