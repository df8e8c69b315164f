// How a call may fail, besides PeerUnreachable.

import { PolyhistorError, type Retry } from '../../errors.ts'
import type { PeerId } from '../network/network.ts'

export class CallTimedOut extends PolyhistorError {
  readonly peer: PeerId

  constructor(peer: PeerId, deadlineMs: number) {
    super('call-timed-out', `Peer ${peer} did not answer within ${deadlineMs} ms`, { retry: 'later' })
    this.peer = peer
  }
}

/** The other peer could not do what it was asked. `code` is that of its own error. */
export class CallFailed extends PolyhistorError {
  readonly peer: PeerId

  constructor(peer: PeerId, code: string, message: string, retry: Retry) {
    super(code, message, { retry })
    this.peer = peer
  }
}

/** So many calls to this peer wait for their answers that another is not made. */
export class TooManyCalls extends PolyhistorError {
  constructor(peer: PeerId) {
    super('too-many-calls', `Too many calls to peer ${peer} are waiting for answers`, { retry: 'later' })
  }
}

/** The asker has asked, or cost, more than its budget: see call-budgets.ts. */
export class OverBudget extends PolyhistorError {
  constructor() {
    super('too-many-calls', 'You ask for more than your budget: wait a moment', { retry: 'later' })
  }
}
