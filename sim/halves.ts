// A simulated network that is cut in two at random, and healed.

import type { PeerId } from '../src/platform/network/network.ts'
import type { SimulatedWorld } from '../src/platform/simulated/world.ts'

export class Halves {
  readonly #world: SimulatedWorld
  #side: readonly PeerId[] = []
  #isCut = false

  constructor(world: SimulatedWorld) {
    this.#world = world
  }

  get isCut(): boolean {
    return this.#isCut
  }

  /** `share`: how many of them are on the one side, about. */
  cut(peers: readonly PeerId[], share = 0.5): void {
    const side = peers.filter(() => this.#world.random.chance(share))
    this.#world.network.cut(
      side,
      peers.filter((peer) => !side.includes(peer)),
    )
    this.#side = side
    this.#isCut = true
  }

  heal(): void {
    this.#world.network.heal()
    this.#isCut = false
  }

  areTogether(one: PeerId, other: PeerId): boolean {
    return !this.#isCut || this.#side.includes(one) === this.#side.includes(other)
  }
}
