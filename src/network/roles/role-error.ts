// What can go wrong with roles, by code.

import { PolyhistorError } from '../../errors.ts'

type RoleErrorCode =
  /** Who asked has not the role that it takes; the message says who has. */
  | 'role-lacking'
  /** Only the network's key can do it, and its peer is not there. */
  | 'role-key-away'
  | 'role-peer-unknown'
  | 'role-statement-unknown'
  /** It would change nothing, or cannot be. */
  | 'role-refused'

export class RoleError extends PolyhistorError {
  declare readonly code: RoleErrorCode

  constructor(code: RoleErrorCode, message: string) {
    super(code, message, { retry: code === 'role-key-away' ? 'later' : 'never' })
  }
}
