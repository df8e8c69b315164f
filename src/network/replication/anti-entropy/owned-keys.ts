// Owned keys: those of the arcs that we own now, and what we know of them from before they were ours.
//
// Invariant: after `update` none of the sets has a key that we do not own.

import type { KeyRange } from '../sums/key-range.ts'
import type { Completeness } from './completeness.ts'
import { KeyRangeSet } from './key-range-set.ts'

export class OwnedKeys {
  /** Ranges that we held completely when they became ours, or got from a peer that did. */
  readonly inherited = new KeyRangeSet()
  /** Ranges we held alone. A new member's completeness cannot be inferred from them. */
  readonly alone = new KeyRangeSet()
  #all = new KeyRangeSet()
  #ranges: readonly KeyRange[] = []
  /** What `inherited` was last made from, and what it was then. */
  #inheritedFrom: readonly (readonly KeyRange[])[] = []

  get all(): KeyRangeSet {
    return this.#all
  }

  /** These ranges are ours now. What we hold all of at this moment we inherit, but for what we held alone. */
  update(ranges: readonly KeyRange[], completeness: Completeness): void {
    const before = this.#ranges
    if (ranges.length !== before.length || ranges.some((range, at) => range !== before[at])) {
      this.#ranges = ranges
      this.#all = new KeyRangeSet(ranges)
    }
    const { own } = completeness
    const from = [own.ranges, this.alone.ranges]
    this.#inherit(own)
    for (const range of completeness.announced()) this.inherited.add(range)
    for (const keys of [this.inherited, this.alone, own]) keys.keepOnly(this.#all)
    this.#inheritedFrom = [...from, this.inherited.ranges]
  }

  #inherit(own: KeyRangeSet): void {
    // Mostly nothing has changed since the last time, a second ago.
    const [lastOwn, lastAlone, lastInherited] = this.#inheritedFrom
    if (own.ranges === lastOwn && this.alone.ranges === lastAlone && this.inherited.ranges === lastInherited)
      return
    const known = new KeyRangeSet(own.ranges)
    known.removeAll(this.alone.ranges)
    for (const range of known.ranges) this.inherited.add(range)
  }
}
