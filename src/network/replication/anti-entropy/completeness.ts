// Completeness: of which keys this peer holds all that there is, so that readers need not ask others.
//
// As owner we know by comparison (see arc-upkeep.ts); as another member of a replica set we are told by the owner, for a short
// time each: without contact to the owner this expires. In memory only: after an absence a comparison comes first.

import { LruCache } from '../../../model/lru-cache.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import { ringKeyToBytes } from '../../../model/ring-key.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import { type CopyPlaces, rangesOn } from '../captures/places.ts'
import type { Arc } from '../captures/wire/questions.ts'
import type { KeyRange } from '../sums/key-range.ts'
import { KeyRangeSet } from './key-range-set.ts'

/** How long the owner's statement is valid; it is repeated three times in that time. Short, because a peer that is not in the
 * replica set any more, and does not know it yet, would claim to be complete while others get what is new. */
export const claimMs = 9_000
const ownersMax = 1_024

interface Claim {
  readonly keys: KeyRangeSet
  readonly untilMs: number
}

export class Completeness {
  readonly #places: CopyPlaces
  readonly #clock: Clock
  /** What we own and hold all of. */
  readonly own = new KeyRangeSet()
  readonly #told = new LruCache<PeerId, Claim>({ max: ownersMax })

  constructor(needs: { places: CopyPlaces; clock: Clock }) {
    this.#places = needs.places
    this.#clock = needs.clock
  }

  isComplete(key: RingKey): boolean {
    const bytes = ringKeyToBytes(key)
    if (this.own.has(bytes)) return true
    // Since we were told the ring may have given it to others, and us nothing of what is new.
    return this.#claims().some(({ keys }) => keys.has(bytes)) && this.#isToKeep(key)
  }

  /** Of the whole arc, as we own it or were told. */
  covers(arc: Arc): boolean {
    const known = new KeyRangeSet([...this.own.ranges, ...(this.#isToKeep(arc.upTo) ? this.announced() : [])])
    return rangesOn(this.#places, arc).every((range) => known.covers(range))
  }

  /** Whether this owner says that it has all that lies there. */
  isToldBy(owner: PeerId, key: Uint8Array): boolean {
    const claim = this.#told.get(owner)
    return claim !== undefined && claim.untilMs > this.#clock.monotonicMs() && claim.keys.has(key)
  }

  /** By the owners' statements. */
  announced(): KeyRange[] {
    return this.#claims().flatMap(({ keys }) => keys.ranges)
  }

  /** A peer with other bounds of split sites means other keys by the same arc. */
  isOfOneMind(splitsId: string): boolean {
    return splitsId === (this.#places.splits?.id ?? '')
  }

  /** A statement of an owner. Arcs that it does not own, or that are not ours to keep, are ignored. */
  believe(owner: PeerId, arcs: readonly Arc[]): void {
    const kept = arcs.filter(({ upTo }) => {
      const set = this.#places.fullSet(upTo)
      return set.includes(owner) && set.includes(this.#places.self)
    })
    const keys = new KeyRangeSet(kept.flatMap((arc) => rangesOn(this.#places, arc)))
    this.#told.set(owner, { keys, untilMs: this.#clock.monotonicMs() + claimMs })
  }

  #isToKeep(key: RingKey): boolean {
    return this.#places.fullSet(key).includes(this.#places.self)
  }

  #claims(): Claim[] {
    const nowMs = this.#clock.monotonicMs()
    return this.#told.values().filter(({ untilMs }) => untilMs > nowMs)
  }
}
