// What can go wrong when contents are asked for at other peers.

import { errorFamily } from '../../errors.ts'

export class KnownContentError extends errorFamily({
  /** Nobody says that the digest is its own: the ring is changing. */
  'content-no-owner': 'later',
  /** Who should have the content cannot be asked now. */
  'content-unreachable': 'later',
}) {}
