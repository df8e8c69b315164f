// The links of a home without a running peer, for commands that only ask.

import type { LinkGraph } from '../../graph/link-graph.ts'
import type { LinkService } from '../../model/page-link.ts'
import type { Store } from '../../store/store.ts'
import { version } from '../../version.ts'
import { userAgentOf } from '../crawl/crawler.ts'
import { openCrawlerToAsk } from '../crawl/crawler-to-ask.ts'
import { realPlatform } from '../real-platform.ts'
import { catchUpOf, ownLinksOf } from './peer-links.ts'

export { type LinkJson, linkQuestionOf, linksJson } from '../../api/v1/link-routes.ts'

/** With all that is archived here: pages whose links were not seen yet are looked at first, where that can be written down. */
export function withLinks<T>(
  folder: string,
  store: Store,
  work: (links: LinkService) => Promise<T>,
): Promise<T> {
  return withGraph(folder, store, (graph) => work(ownLinksOf({ platform: realPlatform(), store, graph })))
}

export async function withGraph<T>(
  folder: string,
  store: Store,
  work: (graph: LinkGraph) => Promise<T>,
): Promise<T> {
  const crawler = await openCrawlerToAsk(folder, store, { userAgent: userAgentOf(version), allowed: [] })
  try {
    const needs = { platform: realPlatform(), store, graph: crawler.graph }
    if (!store.isReadOnly) {
      const catchUp = catchUpOf(needs)
      await catchUp.pass().finally(() => catchUp.close())
    }
    return await work(crawler.graph)
  } finally {
    await crawler.close()
  }
}
