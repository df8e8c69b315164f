// What can go wrong with networks, by code.

import { PolyhistorError, type Retry } from '../../errors.ts'

type NetworkErrorCode =
  /** The text is no invitation, or one that was changed. */
  | 'network-invitation-malformed'
  | 'network-invitation-expired'
  /** From before invitations had tickets: nobody can join with it any more. */
  | 'network-invitation-old'
  /** As many have joined as the invitation was good for. */
  | 'network-invitation-used'
  /** What is in the home folder cannot be read. */
  | 'network-file-damaged'
  /** This home is of another network already. */
  | 'network-other'
  /** This home is private. */
  | 'network-private'
  /** This home is of no network yet. */
  | 'network-none'
  /** Only whoever made the network can invite. */
  | 'network-not-ours'
  /** Another network, no membership, or one that does not hold. */
  | 'network-refused'
  /** Another peer has claimed the ticket before. */
  | 'network-ticket-taken'
  /** A peer that holds a ticket shows another one. */
  | 'network-ticket-changed'
  /** It was a member, and is none any more. */
  | 'network-revoked'
  /** An invitation for volunteers, where a peer that keeps is started. */
  | 'network-volunteer'
  /** No version of the protocol in common. */
  | 'network-version'
  /** A join address that is none, or a name that leads nowhere. */
  | 'network-address'
  /** The port to listen on for other peers is another program's. */
  | 'network-port-in-use'

export class NetworkError extends PolyhistorError {
  declare readonly code: NetworkErrorCode

  constructor(code: NetworkErrorCode, message: string, retry: Retry = 'never') {
    super(code, message, { retry })
  }
}
