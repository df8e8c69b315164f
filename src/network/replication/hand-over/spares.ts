// Spares: peers that hold surplus copies of our arcs, as they report. Some are kept, so that the next absence costs nothing; the
// latest ones may be dropped.

import type { Clock } from '../../../platform/clock.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { CopyPlaces } from '../captures/places.ts'
import type { Arc } from '../captures/wire/questions.ts'

/** Who did not say so again for this long holds them no more. */
const forgetMs = 24 * 3_600_000
const holdersMax = 10_000

export class Spares {
  readonly #places: CopyPlaces
  readonly #clock: Clock
  readonly #sparesMax: number
  /** By arc, in the order of their coming. */
  readonly #holders = new Map<string, Map<PeerId, number>>()

  constructor(needs: { places: CopyPlaces; clock: Clock }, sparesMax: number) {
    this.#places = needs.places
    this.#clock = needs.clock
    this.#sparesMax = sparesMax
  }

  isWanted(peer: PeerId, { upTo }: Arc): boolean {
    // What is not ours is not ours to let go.
    if (!this.#places.ownArcs().some((arc) => arc.upTo === upTo)) return true
    const nowMs = this.#clock.monotonicMs()
    if (this.#holders.size >= holdersMax) this.#holders.clear()
    const holders = this.#holders.get(upTo) ?? new Map<PeerId, number>()
    this.#holders.set(upTo, holders)
    for (const [holder, atMs] of holders) if (nowMs - atMs > forgetMs) holders.delete(holder)
    holders.set(peer, nowMs)
    return [...holders.keys()].indexOf(peer) < this.#sparesMax
  }
}
