// Histories: what was told to or heard from which peer lately, in memory. After a restart there is none, which is no harm:
// the other side says that it does not know, and the batch is packed anew without.
//
// Bounded: `peersMax` peers, the one silent for longest forgotten first, and the last few histories of each: batches are
// under way side by side, so they may be based on one that is not the last.

import { LruCache } from '../../model/lru-cache.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type History, noHistory } from './wire/history.ts'

const historiesPerPeer = 4

export class Histories {
  readonly #peers: LruCache<PeerId, History[]>

  constructor(peersMax: number) {
    this.#peers = new LruCache({ max: peersMax })
  }

  last(peer: PeerId): History {
    return this.#peers.get(peer)?.at(-1) ?? noHistory
  }

  find(peer: PeerId, id: string): History | undefined {
    return id === noHistory.id ? noHistory : this.#peers.get(peer)?.find((history) => history.id === id)
  }

  add(peer: PeerId, history: History): void {
    const histories = this.#peers.get(peer) ?? []
    this.#peers.set(peer, [...histories.slice(1 - historiesPerPeer), history])
  }

  forget(peer: PeerId): void {
    this.#peers.delete(peer)
  }
}
