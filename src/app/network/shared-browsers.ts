// Browsers of a network: this peer's lent to the others, and theirs used for pages that need one here; wired to crawler, ring and calls.

import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { SharedBrowsers } from '../../network/shared-browsers/shared-browsers.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import type { Crawler } from '../crawl/crawler.ts'
import type { RingPeer } from '../ring/ring-peer.ts'

interface Needs {
  readonly clock: Clock
  readonly random: Random
  readonly services: RingPeer['services']
  readonly places: RingPlaces
  readonly crawler: Crawler
}

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
