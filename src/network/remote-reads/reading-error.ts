// Errors of reading from other peers.

import { PolyhistorError } from '../../errors.ts'

type ReadingErrorCode =
  | 'reading-unavailable'
  | 'reading-damaged'
  | 'reading-session-over'
  | 'reading-bad-cursor'

export class ReadingError extends PolyhistorError {
  declare readonly code: ReadingErrorCode

  constructor(code: ReadingErrorCode, message: string, cause?: unknown) {
    super(code, message, { retry: 'later', cause })
  }
}
