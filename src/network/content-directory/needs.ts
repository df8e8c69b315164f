// What the directory of contents needs of a peer's other parts: the ring, calls, the store. Joints fit them.

import type { Digest } from '../../model/digest.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { CallOptions } from '../../platform/calls/calls.ts'
import type { PeerId, Pieces } from '../../platform/network.ts'
import type { HeldAt } from './questions.ts'

export interface OwnedStretch {
  readonly peer: PeerId
  /** It owns the keys up to here. */
  readonly upTo: RingKey
}

export interface ContentPlaces {
  readonly self: PeerId
  isOwner(key: RingKey): boolean
  /** Who owns a key by what is known here, without asking anybody. */
  likelyOwnerOf(key: RingKey): OwnedStretch | undefined
  /** Who keeps a key now: its owner first. Rejects with a PolyhistorError when that cannot be told. */
  keepersOf(key: RingKey): Promise<readonly PeerId[]>
  /** Of a key that is ours: who keeps it with us, without ourselves. */
  partnersOf(key: RingKey): readonly PeerId[]
  /** Whether we are to keep a key, if everybody were there who is not gone for good. */
  isKeeper(key: RingKey): boolean
  /** Where on the ring the captures of a URL lie: that of its site, or of a part of that. */
  placeOf(url: string): RingKey
  onChange(listener: () => void): () => void
}

export interface ContentCalls {
  call(peer: PeerId, bytes: Pieces, options: CallOptions): Promise<Uint8Array>
}

/** The contents of our own store. */
export interface OwnContents {
  has(digest: Digest): boolean
  /** For each whether it is here, whole, and held for good until it is let go. */
  hold(contents: readonly HeldAt[]): Promise<boolean[]>
  letGo(digests: readonly Digest[]): Promise<void>
  /** What is held and needed by nothing else here, in the order of digests. */
  heldAlone(after?: Digest): Iterable<HeldAt>
}

export interface NeededContent {
  readonly digest: Digest
  readonly site: RingKey
}

/** What the captures of our own store need of others. */
export interface OwnNeeds {
  has(need: NeededContent): boolean
  /** In the order of digests, behind that one. */
  all(after?: NeededContent): Iterable<NeededContent>
  /** Those that ended, until they are forgotten. */
  ended(limit: number): readonly NeededContent[]
  forgetEnded(needs: readonly NeededContent[]): Promise<void>
}
