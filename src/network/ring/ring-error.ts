// What can go wrong on the ring, by code.

import { PolyhistorError } from '../../errors.ts'

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

/** Whoever named this peer has not shown its ticket yet: ticket-exchange.ts asks for it. */
export class RingTicketUnknown extends RingPlaceRefused {
  readonly peer: string

  constructor(peer: string) {
    super(`the ticket of ${peer} is not known`)
    this.peer = peer
  }
}

/** The position asked for is not on the ring: not yet, or no more. */
export class RingNotMember extends PolyhistorError {
  constructor() {
    super('ring-not-member', 'That position is not on the ring', { retry: 'later' })
  }
}
