// Failures of proofs and of the log that people are told of.

import { PolyhistorError } from '../errors.ts'

type ProofErrorCode = 'log-damaged' | 'log-unknown' | 'proof-unreadable' | 'proof-none' | 'anchor-refused'

export class ProofError extends PolyhistorError {
  declare readonly code: ProofErrorCode

  constructor(code: ProofErrorCode, message: string) {
    super(code, message, { retry: 'never' })
  }
}
