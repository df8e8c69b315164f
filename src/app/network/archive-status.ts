// The status of a peer of a network, from its parts: those that come with the crawl tell nothing before it.

import type { BrowserStatus, NewcomerStatus } from '../../model/peer-status.ts'
import { clockLack } from '../../network/membership/presence/clock-offset.ts'
import type { RingPlaces } from '../../network/membership/presence/ring-places.ts'
import { isLaterVersion, type Release } from '../../network/releases/release.ts'
import type { Store } from '../../store/store.ts'
import { version } from '../../version.ts'
import type { Platform } from '../platform.ts'
import type { RingPeer } from '../ring/ring-peer.ts'
import type { DiskShare } from '../share/disk-share.ts'
import { NetworkStatusService } from '../status/network-status.ts'
import { copiesLack, ownStatus } from '../status/own-status.ts'
import { rolesStatus } from '../status/roles-status.ts'
import { bucketLacks } from '../status/soundness.ts'
import type { OpenAudits } from './audits.ts'
import type { OpenCaptureCopies } from './capture-copies.ts'
import type { CrawlServices } from './crawl-services.ts'
import type { NetworkCrawl } from './network-crawl.ts'

interface Parts {
  readonly platform: Platform
  readonly ring: RingPeer
  readonly store: Store
  readonly share: DiskShare
  readonly places: RingPlaces
  readonly copies: OpenCaptureCopies
  /** Places that were taken and given up since the start. */
  placesMoved(): number
  audits(): ReturnType<OpenAudits['status']>
  newcomers(): readonly NewcomerStatus[]
  /** What its owner should know of a peer on probation. */
  probation(): string | undefined
  crawling(): NetworkCrawl | undefined
  services(): CrawlServices | undefined
  browser(): BrowserStatus | undefined
}

function releaseNews(latest: Release | undefined): string[] {
  if (latest === undefined || !isLaterVersion(latest.version, version)) return []
  return [
    `This network runs version ${latest.version}, and this peer ${version}: npm install --global polyhistor@${latest.version}, and restart it.`,
  ]
}

export function openArchiveStatus(parts: Parts, copiesWanted: number): NetworkStatusService {
  const { platform, ring, store, share, places, copies } = parts
  const { clock } = platform
  return new NetworkStatusService(
    {
      network: ring.view().network,
      calls: ring.services.service('status'),
      clock,
      peers: () => places.peers(),
      away: () => places.away(),
      faults: () => ring.faults.view(),
      roles: () => {
        const roles = parts.crawling()?.shared.roles
        return roles && rolesStatus(roles, ring)
      },
      audits: () => parts.audits(),
      newcomers: () => parts.newcomers(),
      corroboration: () => parts.services()?.corroboration.status(),
      notices: () => parts.crawling()?.shared.announcements.status(),
      clockLack: () => clockLack(ring.view()),
      copiesLack: () => copiesLack(copies.status()),
      ownProblems: () => [
        ...ring.problems(),
        ...[parts.probation()].filter((sentence) => sentence !== undefined),
        ...(parts.services()?.logs.heads.problems() ?? []),
        ...releaseNews(parts.crawling()?.shared.releases?.latest),
        ...bucketLacks(store),
      ],
      own: () =>
        ownStatus({
          ...{ peer: ring.peer, store, share, copies, copiesWanted, clock },
          crawling: parts.crawling(),
          browser: parts.browser(),
          volunteers: parts.services()?.volunteers.views() ?? [],
          machine: {
            ...{ ...platform.machine(), version, positions: ring.view().positions.length },
            ...{ share: ring.taken.weight, placesMoved: parts.placesMoved() },
          },
        }),
    },
    copiesWanted,
  )
}
