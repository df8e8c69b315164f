// Hand-over targets: the peers that will keep what we hold of an arc when we are gone. Those of its replica set come first, then
// the next ones on the ring, which are looked up only when those before them are too few, or have no room.

import { unlessFails } from '../../../errors.ts'
import { type RingKey, ringKeyBytes, ringKeyFromBytes } from '../../../model/ring-key.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { CopyPlaces, FoundOwner } from '../captures/places.ts'
import { boundBehind } from '../sums/key-range.ts'

/** How far we look for a peer that would keep a copy in our place. */
const stepsMax = 64

export class HandOverTargets {
  readonly #places: CopyPlaces
  readonly #known: PeerId[]
  readonly #arcEnd: RingKey
  /** Up to which the ring was looked at. */
  #place: RingKey
  #steps = 0

  constructor(places: CopyPlaces, { owner, replicas }: FoundOwner) {
    this.#places = places
    this.#known = replicas.map(({ peer }) => peer).filter((peer) => peer !== places.self)
    this.#arcEnd = owner.position
    this.#place = owner.position
  }

  /** Until no peer is left, or lookups fail. */
  async *all(): AsyncGenerator<PeerId> {
    for (let index = 0; ; index++) {
      if (index === this.#known.length) await this.#findNext()
      const peer = this.#known[index]
      if (peer === undefined) return
      yield peer
    }
  }

  async #findNext(): Promise<void> {
    const { self } = this.#places
    for (; this.#steps < stepsMax; this.#steps++) {
      const owner = await this.#ownerBehind(this.#place)
      if (owner === undefined) return
      this.#place = owner.position
      // Once round the ring.
      if (owner.position === this.#arcEnd) this.#steps = stepsMax
      if (owner.peer === self || this.#known.includes(owner.peer)) continue
      this.#known.push(owner.peer)
      return
    }
  }

  async #ownerBehind(place: RingKey): Promise<FoundOwner['owner'] | undefined> {
    const next = boundBehind(place) ?? new Uint8Array(ringKeyBytes)
    return (await unlessFails(this.#places.lookup(ringKeyFromBytes(next))))?.owner
  }
}
