// A ring that does not change, for the benchmark: every peer has the same number of positions.

import type { OwnArc, Owner, Owners } from '../../src/exchange/owners.ts'
import { type RingKey, ringKeyOf } from '../../src/record/ring-key.ts'
import type { Network, PeerId } from '../../src/world/network.ts'

export interface RingMember {
  readonly peer: PeerId
  readonly addresses: readonly string[]
}

const positionsPerPeer = 4
const followingCount = 4

export class FixedRing {
  readonly #positions: readonly Owner[]

  constructor(members: readonly RingMember[]) {
    const positions = members.flatMap(({ peer, addresses }) =>
      Array.from({ length: positionsPerPeer }, (_, index) => ({
        peer,
        addresses,
        upTo: ringKeyOf(`${peer} ${index}`),
      })),
    )
    this.#positions = positions.sort((one, other) => (one.upTo < other.upTo ? -1 : 1))
  }

  get size(): number {
    return this.#positions.length
  }

  ownerOf(key: RingKey): Owner {
    return this.#positions[this.#rankOf(key)]!
  }

  seenBy(network: Network): Owners {
    const { self } = network
    return {
      self,
      isOwner: (key) => this.ownerOf(key).peer === self,
      ownerOf: async (key) => this.ownerOf(key),
      arcOf: (key) => this.#arcOf(key, self),
      likelyOwnerOf: (key) => this.ownerOf(key),
      isPlaceOf: (peer, place) => this.ownerOf(place).upTo === place && this.ownerOf(place).peer === peer,
      learn: (peer, addresses) => network.learn(peer, [...addresses]),
    }
  }

  #arcOf(key: RingKey, self: PeerId): OwnArc | undefined {
    const rank = this.#rankOf(key)
    const { peer, upTo } = this.#positions[rank]!
    if (peer !== self) return undefined
    const following = [...this.#positions, ...this.#positions].slice(rank + 1, rank + 1 + followingCount)
    return { after: this.#positions.at(rank - 1)!.upTo, upTo, following }
  }

  #rankOf(key: RingKey): number {
    const rank = this.#positions.findIndex(({ upTo }) => upTo >= key)
    return Math.max(0, rank)
  }
}
