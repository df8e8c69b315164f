// For how long neighbours have agreed about each other, all along the ring from here in one direction, as far as is known:
// each says for how long, and nobody can say more than the one behind it.
//
// Ends when the neighbour is another, or was not heard of for `silenceMsMax`.

import type { RingKey } from '../../../model/ring-key.ts'

export class Agreement {
  readonly #silenceMsMax: number
  #with: RingKey | undefined
  #sinceMs = 0
  #lastMs = 0

  constructor(silenceMsMax: number) {
    this.#silenceMsMax = silenceMsMax
  }

  /** The neighbour agrees, and says for how long those behind it have. */
  renew(neighbour: RingKey, theirMs: number, nowMs: number): void {
    const sinceMs = this.#with === neighbour && this.#isFresh(nowMs) ? this.#sinceMs : nowMs
    this.#with = neighbour
    this.#sinceMs = Math.max(sinceMs, nowMs - theirMs)
    this.#lastMs = nowMs
  }

  end(): void {
    this.#with = undefined
  }

  lastedMs(nowMs: number): number {
    return this.#with !== undefined && this.#isFresh(nowMs) ? nowMs - this.#sinceMs : 0
  }

  #isFresh(nowMs: number): boolean {
    return nowMs - this.#lastMs <= this.#silenceMsMax
  }
}
