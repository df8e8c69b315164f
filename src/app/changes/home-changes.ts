// The changes that a home knows of, without a running peer: those of the sites that it crawls.

import { textOf } from '../../api/v1/changes/change-lines.ts'
import { wantedChanges } from '../../api/v1/changes/change-routes.ts'
import type { Store } from '../../store/store.ts'
import { version } from '../../version.ts'
import { userAgentOf } from '../crawl/crawler.ts'
import { openCrawlerToAsk } from '../crawl/crawler-to-ask.ts'
import { realPlatform } from '../real-platform.ts'
import { openChanges } from './open-changes.ts'

/** As the route /api/v1/changes answers, in lines; ends with what there is. */
export async function* changesOfHome(
  folder: string,
  store: Store,
  query: Record<string, string>,
): AsyncGenerator<string> {
  const crawler = await openCrawlerToAsk(folder, store, { userAgent: userAgentOf(version), allowed: [] })
  const { clock, random } = realPlatform()
  const isHidden = (url: string) => store.hides(url)
  const changes = openChanges({ clock, random, frontier: crawler.frontier, isHidden })
  try {
    const asked = new URLSearchParams({ ...query, follow: 'false', cursors: 'true' })
    const { signal } = new AbortController()
    for await (const { told } of await wantedChanges(changes, asked, signal))
      for (const line of textOf(told, 'lines', true).split('\n')) if (line !== '') yield line
  } finally {
    await changes.close()
    await crawler.close()
  }
}
