// What can go wrong between peers that exchange links.

import { PolyhistorError, type Retry } from '../../errors.ts'

type ExchangeErrorCode =
  /** More bytes or links than a batch may have. */
  | 'exchange-too-large'
  /** As many batches as we take at once are being taken. */
  | 'exchange-busy'
  /** The batch was packed against batches that the receiver has forgotten: pack it without. */
  | 'exchange-history-unknown'
  /** The receiver speaks an older or newer language: wait until both are of one version. */
  | 'exchange-version'
  /** A link in our own outbox is none: its disk has rotted. */
  | 'exchange-link-damaged'
  | 'exchange-closed'

export class ExchangeError extends PolyhistorError {
  declare readonly code: ExchangeErrorCode

  constructor(code: ExchangeErrorCode, message: string, cause?: unknown) {
    const retry: Retry = code === 'exchange-too-large' ? 'never' : 'later'
    super(code, message, { retry, cause })
  }
}

export function tooLarge(why: string): ExchangeError {
  return new ExchangeError('exchange-too-large', `The batch of links is too large: ${why}`)
}

/** Nobody is to blame for it, so nothing is put aside: what was sent waits. */
export function otherVersion(what: string): ExchangeError {
  return new ExchangeError('exchange-version', `${what} is of a version that this program does not know`)
}
