// An arc: a range of entries that share their fate, and the peers that have a copy of it.

import type { Member } from './member.ts'

export class Arc {
  readonly index: number
  /** Where on the ring it lies, in [0, 1). */
  readonly place: number
  /** All who are known to have a copy: some of them may be dead. */
  holders: Member[] = []
  /** Copies that are not lost, and of those the ones that can be read now. */
  live = 0
  reachable = 0
  /** Something is wanted that could not be done. */
  isWaiting = false
  /** When `live` or `reachable` last changed. */
  changedAtMs = 0

  constructor(index: number, place: number) {
    this.index = index
    this.place = place
  }
}
