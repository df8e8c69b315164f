// What frontier replication needs of a peer's frontier, its leases and the ring. `app/` supplies them.

import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { LogPosition } from './log-position.ts'

/** The site, by its ring key. */
export type SiteId = RingKey

export const clearMark = '*'

/** The entry that tells a site's name. A frontier keeps nothing of a site without it, and must be given it first. */
export const namingEntry = 's'

export type Value = Uint8Array | string

/** An entry of a site: a name that every frontier understands, and its value. Text stands for bytes, one a character. */
export type SiteEntry = readonly [name: string, value: Uint8Array]

export interface SitePiece {
  readonly entries: readonly SiteEntry[]
  /** Where to go on; undefined when that was all. */
  readonly next: string | undefined
}

export interface SiteChanges {
  readonly site: SiteId
  readonly position: LogPosition
  /** null: removed. In order: a name that begins with `clearMark` says that all are gone that begin with the rest of it, but
   * for those that are named later. */
  readonly entries: ReadonlyMap<string, Value | null>
}

interface SiteHead {
  readonly site: SiteId
  /** undefined when only a part of the site is there. */
  readonly position: LogPosition | undefined
}

export interface SiteFrontier {
  share(
    keeper: { isOpen(site: SiteId): boolean; canCrawl(site: SiteId): boolean },
    listener: (changes: readonly SiteChanges[]) => void,
  ): void
  heads(): Iterable<SiteHead>
  head(site: SiteId): SiteHead | undefined
  read(site: SiteId, from: string | undefined, bytesMax: number): SitePiece
  bringIn(site: SiteId, entries: Iterable<SiteEntry>, position: LogPosition): Promise<void>
  open(site: SiteId, position: LogPosition): void
  moveOn(site: SiteId, position: LogPosition): void
  positionOf(site: SiteId): LogPosition | undefined
  close(site: SiteId): void
  remove(site: SiteId): Promise<void>
  isBusy(site: SiteId): boolean
  jobIdIn(name: string): string | undefined
  optionsOfJob(id: string): object | undefined
  /** Whether these are the options of the job. */
  isJob(id: string, options: object): boolean
  joinJob(options: object): void
  committed(): Promise<void>
  flush(): Promise<void>
}

export interface HeldLease {
  readonly epoch: number
  readonly members: readonly PeerId[]
  readonly before: readonly { readonly epoch: number; readonly members: readonly PeerId[] }[]
}

export interface SiteLeases {
  /** It is ours, and its members are those whom the ring names. */
  isSettled(site: SiteId): boolean
  acquire(site: SiteId): void
  isWanted(site: SiteId): boolean
  canCrawl(site: SiteId, forMs?: number): boolean
  leaseOf(site: SiteId): HeldLease | undefined
  /** A later epoch than the one that is held was heard of. */
  acquireAgain(site: SiteId): void
  release(site: SiteId): Promise<void>
  /** Whether the peer is the site's lease holder in this epoch, as it says. `unsure`: too few of those answer who would know. */
  checkHolder(site: SiteId, epoch: number, peer: PeerId): Promise<'holder' | 'superseded' | 'unsure'>
  /** A member does not know yet that we hold the lease. */
  announceAgain(site: SiteId): void
  /** The last epoch that is known to have a lease holder. */
  lastEpoch(site: SiteId): number
  /** The peer reports a lease of this epoch or a later one: gives its epoch if others confirm it. */
  findLaterEpoch(site: SiteId, epoch: number, peer: PeerId): Promise<number | undefined>
}

export interface SitePlaces {
  readonly self: PeerId
  /** Ours to crawl: by the ring, or because its owner asks us to. */
  leads(site: SiteId): boolean
  /** Of a site that the ring gives to us: who crawls it instead. */
  placedAt(site: SiteId): PeerId | undefined
  isGone(peer: PeerId): boolean
  /** Who owns the site by the ring, and up to which key. */
  ownerOf(site: SiteId): Promise<{ peer: PeerId; upTo: RingKey }>
  onChange(listener: () => void): () => void
}
