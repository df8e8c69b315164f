// Log position: which state of a site's frontier, in the order of its log.
//
// The epoch is that of the lease, the sequence counts commits and continues over epochs. Of two states the one with the later log
// position contains all that was ever acknowledged of the other; take-overs ensure that.

export interface LogPosition {
  readonly epoch: number
  readonly sequence: number
}

/** Before all others: nothing is known of the site. */
export const logStart: LogPosition = { epoch: 0, sequence: 0 }

/** More commits than there ever are: a higher number is a lie, and would leave no room to count on. */
const sequenceMax = 2 ** 40

/** Whether a lease holder of this epoch or an earlier one can have reached it. */
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
