// The copies of a range of entries, as far as they are known to whoever decides about them.

import type { PeerId } from '../../../src/platform/network/network.ts'

/** A peer that has all of the range, as the last comparison found. */
export interface Holder {
  peer: PeerId
  /** What fails together shares it: see src/network/ring/network-prefix.ts. */
  network?: string | undefined
  /** Since when it does not answer; undefined while it does. */
  absentSinceMs?: number | undefined
  /** How long its absences are waited out: see src/network/replication/copies/patience.ts. */
  patienceMs: number
  /** It said that it will go for good: good for reading from, not to be counted on. */
  isLeaving?: boolean | undefined
  isShortOfRoom?: boolean | undefined
  /** Until then it promised another, that dropped its copy, to keep this one. */
  promisedUntilMs?: number | undefined
}

/** A peer that could take a copy, or has one. */
export interface RingPeer {
  peer: PeerId
  network?: string | undefined
  hasRoom: boolean
}

export interface RangeCopies {
  /** Each peer once. */
  holders: readonly Holder[]
  /** Who is being sent a copy right now. */
  coming: readonly PeerId[]
  /** The peers that answer, each once, clockwise from the range: its replica set comes first. */
  ring: readonly RingPeer[]
}
