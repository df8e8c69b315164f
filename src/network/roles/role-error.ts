// What can go wrong with roles, by code.

import { errorFamily } from '../../errors.ts'

export class RoleError extends errorFamily({
  /** Who asked has not the role that it takes; the message says who has. */
  'role-lacking': 'never',
  /** Only the network's key can do it, and its peer is not there. */
  'role-key-away': 'later',
  'role-peer-unknown': 'never',
  'role-statement-unknown': 'never',
  /** It would change nothing, or cannot be. */
  'role-refused': 'never',
}) {}
