// Errors of reading from other peers.

import { errorFamily } from '../../errors.ts'

export class ReadingError extends errorFamily({
  'reading-unavailable': 'later',
  'reading-damaged': 'later',
  'reading-session-over': 'later',
  'reading-bad-cursor': 'later',
}) {}
