// What can go wrong with a replay, said so that a reader understands. Failures of the store come as its own errors.

import { PolyhistorError, type Retry } from '../errors.ts'

const retries = {
  /** The address is none that replay understands. */
  'replay-bad-address': 'never',
  'replay-bad-time': 'never',
  'replay-bad-url': 'never',
  'replay-bad-policy': 'never',
  /** Nothing under this URL was ever archived, or nothing for that time. */
  'replay-not-archived': 'later',
  'replay-taken-down': 'never',
  /** The archive has the URL only as a redirect to itself. */
  'replay-redirect-loop': 'never',
  /** The stored bytes cannot be read, or are not what was stored. */
  'replay-damaged': 'later',
  'replay-method': 'never',
  'replay-range': 'never',
} as const satisfies Record<string, Retry>

export type ReplayErrorCode = keyof typeof retries

export class ReplayError extends PolyhistorError {
  declare readonly code: ReplayErrorCode

  constructor(code: ReplayErrorCode, message: string, cause?: unknown) {
    super(code, message, { retry: retries[code], cause })
  }
}
