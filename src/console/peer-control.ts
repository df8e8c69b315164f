// Peer control: what can be done from the console to the peer itself.

import { ActionError } from './action-error.ts'

/** Each throws 'action-not-here' where it cannot be done. */
export interface PeerControl {
  /** Stops, and comes back at the same address with the settings as they are written now. */
  restart(): void
  /** Hands everything over and leaves its network. */
  drain(): void
  /** The same called off. */
  stay(): void
}

export function cannotRestart(): never {
  throw new ActionError('action-not-here', 'This peer was not started by a command that can start it again.')
}

export function cannotLeave(): never {
  throw new ActionError('action-not-here', 'This peer has no network to leave.')
}

export const noControl: PeerControl = { restart: cannotRestart, drain: cannotLeave, stay: cannotLeave }
