// Who refused us, or was refused by us, a short while ago: it is not dialled again for every message.

import type { PeerId, PeerRefused } from '../../network.ts'

const rememberedMax = 1_024

export class Refusals {
  readonly #rememberedMs: number
  readonly #byPeer = new Map<PeerId, { error: PeerRefused; untilMs: number }>()

  constructor(rememberedMs: number) {
    this.#rememberedMs = rememberedMs
  }

  add(error: PeerRefused): void {
    this.#byPeer.delete(error.peer)
    this.#byPeer.set(error.peer, { error, untilMs: performance.now() + this.#rememberedMs })
    if (this.#byPeer.size > rememberedMax) this.#byPeer.delete(this.#byPeer.keys().next().value!)
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
