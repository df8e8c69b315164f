// What can go wrong with a replay, said so that a reader understands. Failures of the store come as its own errors.

import { errorFamily } from '../errors.ts'

export class ReplayError extends errorFamily({
  /** The address is none that replay understands. */
  'replay-bad-address': 'never',
  'replay-bad-time': 'never',
  'replay-bad-url': 'never',
  'replay-url-too-long': 'never',
  'replay-bad-policy': 'never',
  /** Nothing under this URL was ever archived, or nothing for that time. */
  'replay-not-archived': 'later',
  'replay-taken-down': 'never',
  /** The archive has the URL only as a redirect to itself. */
  'replay-redirect-loop': 'never',
  /** The stored bytes cannot be read, or are not what was stored. */
  'replay-damaged': 'later',
  'replay-method': 'never',
  /** Original bytes that a page of the archive's own would run. */
  'replay-not-here': 'never',
  'replay-range': 'never',
}) {}
