// Who refused us, or was refused by us, a short while ago: it is not dialled again for every message.

import { LruCache } from '../../../model/lru-cache.ts'
import type { PeerId, PeerRefused } from '../../network/network.ts'

const rememberedMax = 1_024

export class Refusals {
  readonly #rememberedMs: number
  readonly #byPeer = new LruCache<PeerId, { error: PeerRefused; untilMs: number }>({ max: rememberedMax })

  constructor(rememberedMs: number) {
    this.#rememberedMs = rememberedMs
  }

  add(error: PeerRefused): void {
    this.#byPeer.set(error.peer, { error, untilMs: performance.now() + this.#rememberedMs })
  }

  remove(peer: PeerId): void {
    this.#byPeer.delete(peer)
  }

  /** Throws what was said the last time, while that is fresh. */
  check(peer: PeerId): void {
    const refusal = this.#byPeer.get(peer)
    if (refusal === undefined) return
    if (performance.now() < refusal.untilMs) throw refusal.error
    this.#byPeer.delete(peer)
  }
}
