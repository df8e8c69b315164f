// What a peer does for others, and has others do, once it crawls: the log of its captures with its proofs, parts of pages (errands),
// second looks, volunteers, and browsers that are lent.
//
// Opened after the network's crawl, closed before it: all of them ask who leads a site.

import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import type { ReadableArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { trustTermsDefault } from '../../network/volunteers/volunteer-record.ts'
import type { Log } from '../../platform/log.ts'
import type { Store } from '../../store/store.ts'
import type { Crawler } from '../crawl/crawler.ts'
import type { Platform } from '../platform.ts'
import type { HomeProof } from '../proof/home-proof.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { ArchiveNetworkOptions } from './archive-network.ts'
import { type OpenCorroboration, openCorroboration } from './corroboration.ts'
import type { NetworkCrawl } from './network-crawl.ts'
import { type NetworkLog, openNetworkLog } from './network-log.ts'
import { openPartErrands } from './part-errands.ts'
import { openSharedBrowsers } from './shared-browsers.ts'
import { type OpenVolunteers, openVolunteers } from './volunteers.ts'

interface Needs {
  readonly platform: Platform
  readonly ring: RingPeer
  readonly store: Store
  readonly log: Log
  readonly crawling: NetworkCrawl
  readonly crawler: Crawler
  readonly proof: HomeProof
  readonly places: RingPlaces
  readonly archive: ReadableArchive
  wake(): void
}

export interface CrawlServices {
  readonly logs: NetworkLog
  readonly corroboration: OpenCorroboration
  readonly volunteers: OpenVolunteers
  close(): Promise<void>
}

export async function openCrawlServices(
  needs: Needs,
  folder: string,
  options: Pick<ArchiveNetworkOptions, 'corroboration' | 'volunteers'>,
): Promise<CrawlServices> {
  const { platform, ring, store, log, crawler, places, archive, proof } = needs
  const { clock, random } = platform
  const { services } = ring
  const { sites, shared } = needs.crawling
  const wake = () => needs.wake()
  const { announcements } = shared
  const logs = await openNetworkLog(
    { platform, services, announcements, proof, self: ring.peer, log },
    folder,
  )
  const errands = openPartErrands({ services, places, sites, crawler, archive })
  const corroboration = openCorroboration(
    { services, store, clock, random, log, places, crawler, proof },
    options.corroboration ?? { share: 0, sameNetwork: false },
  )
  const release = () => shared.releases?.latest
  const volunteers = await openVolunteers({ platform, ring, sites, crawler, log, release, wake }, folder, {
    ...trustTermsDefault,
    ...options.volunteers,
  })
  const browsers = openSharedBrowsers({ crawler, clock, random, services, places })
  return {
    logs,
    corroboration,
    volunteers,
    close: async () => {
      errands.close()
      await corroboration.close()
      await volunteers.close()
      await browsers.close()
      await services.stop(['proofs'])
      await logs.close()
    },
  }
}
