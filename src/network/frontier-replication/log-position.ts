// Log position: how far a site has come, in the order in which its states followed each other.
//
// The epoch is that of its lease holder, the sequence counts commits and goes on over epochs. Of two states of a site the one
// with the later log position knows all that was ever acknowledged of the other: lease holders see to that.

export interface LogPosition {
  readonly epoch: number
  readonly sequence: number
}

/** Before all others: nothing is known of the site. */
export const logStart: LogPosition = { epoch: 0, sequence: 0 }

/** More than anybody ever commits: whoever says more is lying, and counting on from there would come to an end. */
const sequenceMax = 2 ** 40

/** Whether a lease holder of this epoch, or one before it, can have come that far. */
export function isPossible({ epoch, sequence }: LogPosition, epochNow: number): boolean {
  return epoch <= epochNow && sequence <= sequenceMax
}

/** Negative when `one` comes first. */
export function compare(one: LogPosition, other: LogPosition): number {
  return one.epoch - other.epoch || one.sequence - other.sequence
}

export function isAtLeast(one: LogPosition | undefined, other: LogPosition): boolean {
  return one !== undefined && compare(one, other) >= 0
}
