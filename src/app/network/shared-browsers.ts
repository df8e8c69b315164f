// Browsers of a network: this peer's lent to the others, and theirs used for pages that need one here; wired to crawler, ring and calls.

import { SharedBrowsers } from '../../network/shared-browsers/shared-browsers.ts'
import type { NetworkCrawlNeeds } from './network-crawl.ts'

type Needs = Pick<NetworkCrawlNeeds, 'clock' | 'random' | 'services' | 'places' | 'crawler'>

export function openSharedBrowsers(needs: Needs): { close(): Promise<void> } {
  const { clock, random, services, places, crawler } = needs
  const shared = new SharedBrowsers({
    ...{ clock, random },
    calls: services.service('browsers'),
    peers: () => places.peers(),
    browser: () => crawler.browsers.ready,
  })
  crawler.browsers.joinNetwork(shared.borrowed)
  return shared
}
