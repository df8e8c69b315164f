// What the directory of contents needs of a peer's other parts: the ring, calls, the store.

import type { RingKey } from '../../model/ring-key.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { Elsewhere } from '../../store/elsewhere/elsewhere.ts'

export interface ContentPlaces {
  readonly self: PeerId
  isOwner(key: RingKey): boolean
  /** Who owns a key by what is known here, without asking anybody, and up to which key. */
  likelyOwnerOf(key: RingKey): { readonly peer: PeerId; readonly upTo: RingKey } | undefined
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

export type ContentCalls = Pick<CallService, 'call'>
/** The contents of our own store. */
export type OwnContents = Pick<Elsewhere, 'has' | 'hold' | 'letGo' | 'heldAlone'>
/** What the captures of our own store need of others. */
export type OwnNeeds = Elsewhere['references']
