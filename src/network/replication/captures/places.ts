// Places: the ring, as replication needs it. `app/` supplies it.

import { type RingKey, ringKeyBytes, ringKeyFromBytes } from '../../../model/ring-key.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { SplitSites } from '../split-sites/split-sites.ts'
import { type KeyRange, rangesOfArc } from '../sums/key-range.ts'

/** Keys after the one, up to the other, that are ours. */
export interface OwnArc {
  readonly after: RingKey
  readonly upTo: RingKey
  /** Who keeps copies of it now, ourselves first. */
  readonly replicas: readonly PeerId[]
  /** Who would, if everybody were there who is not gone for good. */
  readonly full: readonly PeerId[]
}

export interface FoundOwner {
  /** Its position is where its arc ends. */
  readonly owner: { readonly peer: PeerId; readonly position: RingKey }
  /** The owner first. */
  readonly replicas: readonly { readonly peer: PeerId }[]
}

export interface CopyPlaces {
  readonly self: PeerId
  /** Now, ourselves first; undefined when the key is not ours. */
  replicaSet(key: RingKey): readonly PeerId[] | undefined
  fullSet(key: RingKey): readonly PeerId[]
  lookup(key: RingKey): Promise<FoundOwner>
  ownArcs(): readonly OwnArc[]
  /** Whether the peer may have been among those who kept the key at that time, or is now. */
  mayHaveKept(peer: PeerId, key: RingKey, atMs: number): boolean
  /** We know it only for a short while: what it says is no reason to drop a copy. */
  isYoung(peer: PeerId): boolean
  /** Everybody known to be on the ring now, without ourselves. */
  peers(): readonly PeerId[]
  /** With those who are missed and not gone for good. */
  members(): readonly PeerId[]
  /** Who is missed, for however long, and has not left by anybody's word. */
  missed(): readonly PeerId[]
  onChange(listener: () => void): () => void
  /** So many distinct peers that are to keep the key, or would if those before them did not. */
  following?(key: RingKey, count: number): readonly PeerId[]
  /** The arcs of another peer, as far as it is known. */
  arcsOf?(peer: PeerId): readonly Pick<OwnArc, 'after' | 'upTo'>[]
  /** Where the parts of large sites lie; without it every site is whole. */
  readonly splits?: SplitSites | undefined
}

/** Where the capture with this key lies. */
export function placeOf({ splits }: Pick<CopyPlaces, 'splits'>, key: Uint8Array): RingKey {
  return splits === undefined ? ringKeyFromBytes(key.subarray(0, ringKeyBytes)) : splits.placeOf(key)
}

/** The keys of what lies on an arc. */
export function rangesOn(
  { splits }: Pick<CopyPlaces, 'splits'>,
  { after, upTo }: Pick<OwnArc, 'after' | 'upTo'>,
): readonly KeyRange[] {
  return splits === undefined ? rangesOfArc(after, upTo) : splits.rangesOf(after, upTo)
}
