// What can go wrong on the ring, by code.

import { PolyhistorError } from '../errors.ts'

/** Nobody let us in. */
export class RingJoinFailed extends PolyhistorError {
  constructor(reason: string, cause?: unknown) {
    super('ring-join-failed', `The ring was not joined: ${reason}`, { retry: 'later', cause })
  }
}

/** No owner of the key was found in time. */
export class RingLookupFailed extends PolyhistorError {
  constructor(key: string, reason: string) {
    super('ring-lookup-failed', `The owner of ${key} was not found: ${reason}`, { retry: 'later' })
  }
}

/** A position claims a place that is not its own, or one that could not be proven. */
export class RingPlaceRefused extends PolyhistorError {
  constructor(reason: string) {
    super('ring-place-refused', `A place on the ring was refused: ${reason}`)
  }
}

/** The position asked for is not on the ring: not yet, or no more. */
export class RingNotMember extends PolyhistorError {
  constructor() {
    super('ring-not-member', 'That position is not on the ring', { retry: 'later' })
  }
}
