// How this peer does: what its parts say of themselves, put together for those who ask.

import {
  type BrowserStatus,
  type MachineStatus,
  type PeerStatus,
  type VolunteerStatus,
  volunteersToldMax,
} from '../../model/peer-status.ts'
import type { CopiesStatus } from '../../network/replication/captures/capture-copies.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Store } from '../../store/store.ts'
import type { OpenCaptureCopies } from '../network/capture-copies.ts'
import type { SharedCrawl } from '../network/shared-crawl.ts'
import type { SiteLeases } from '../network/site-leases.ts'
import type { DiskShare } from '../share/disk-share.ts'
import { removalsOf } from './removals.ts'
import { soundnessOf } from './soundness.ts'

interface Parts {
  readonly peer: PeerId
  readonly store: Store
  readonly share: DiskShare
  readonly copies: OpenCaptureCopies
  readonly copiesWanted: number
  readonly clock: Clock
  /** Once this peer crawls. */
  readonly crawling: { readonly sites: SiteLeases; readonly shared: SharedCrawl } | undefined
  readonly browser: BrowserStatus | undefined
  readonly volunteers: readonly VolunteerStatus[]
  readonly machine: MachineStatus
}

export async function ownStatus({
  peer,
  store,
  share,
  copies,
  copiesWanted,
  clock,
  crawling,
  browser,
  volunteers,
  machine,
}: Parts): Promise<PeerStatus> {
  const stat = await store.stat()
  const { captures, bytes } = stat
  const { histogram, queue, ratePerSecond, bytesIn, bytesOut } = copies.status()
  const sites = crawling?.sites.status()
  return {
    peer,
    captures,
    bytesOnDisk: bytes.onDisk,
    copies: { wanted: copiesWanted, histogram, queue, bytesPerSecond: ratePerSecond, bytesIn, bytesOut },
    sites: { crawled: sites?.ready ?? 0, kept: sites?.replicas ?? 0, toCopy: sites?.toCopy ?? 0 },
    links: linksStatus(crawling?.shared, clock),
    share: await share.state(),
    soundness: soundnessOf(store),
    removals: removalsOf(store, stat),
    browser,
    volunteers: volunteers.slice(0, volunteersToldMax),
    machine,
  }
}

/** A sentence, when others were found to lack what they said they have. */
export function copiesLack({ badHolders }: CopiesStatus): string | undefined {
  if (badHolders === 0) return undefined
  const peers = `${badHolders} ${badHolders === 1 ? 'peer' : 'peers'}`
  return `Honest copies: ${peers} could not show copies that this peer asked them to prove. Nothing was dropped for them.`
}

function linksStatus(shared: SharedCrawl | undefined, clock: Clock): PeerStatus['links'] {
  if (shared === undefined) return { sent: 0, received: 0, waiting: 0, oldestMs: 0, bytesSent: 0 }
  const { sent, received, waiting } = shared.links()
  const oldestMs = waiting.oldestMs === undefined ? 0 : Math.max(0, clock.nowMs() - waiting.oldestMs)
  return {
    sent: sent.links,
    received: received.links,
    waiting: waiting.links,
    oldestMs,
    bytesSent: sent.bytes,
  }
}
