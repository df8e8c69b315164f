// An arc: a range of entries that share their fate, and the peers that have a copy of it.

import type { Member } from './member.ts'

export class Arc {
  readonly index: number
  /** Where on the ring it lies, in [0, 1). */
  readonly place: number
  /** All who are known to have a copy: some of them may be dead. */
  holders: Member[] = []
  /** Copies that are not lost, whether they can be read now or not. */
  live = 0
  /** When `live` last changed. */
  changedAtMs = 0

  constructor(index: number, place: number) {
    this.index = index
    this.place = place
  }

  /** Copies that can be read now. */
  get readable(): number {
    let count = 0
    for (const member of this.holders) if (member.isPresent) count++
    return count
  }
}
