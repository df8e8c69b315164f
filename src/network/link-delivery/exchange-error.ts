// What can go wrong between peers that exchange links.

import { errorFamily } from '../../errors.ts'

export class ExchangeError extends errorFamily({
  /** More bytes or links than a batch may have. */
  'exchange-too-large': 'never',
  /** As many batches as we take at once are being taken. */
  'exchange-busy': 'later',
  /** The batch was packed against batches that the receiver has forgotten: pack it without. */
  'exchange-history-unknown': 'later',
  /** The receiver speaks an older or newer language: wait until both are of one version. */
  'exchange-version': 'later',
  /** A link in our own outbox is none: its disk has rotted. */
  'exchange-link-damaged': 'later',
  'exchange-closed': 'later',
}) {}

export function tooLarge(why: string): ExchangeError {
  return new ExchangeError('exchange-too-large', `The batch of links is too large: ${why}`)
}

/** Nobody is to blame for it, so nothing is put aside: what was sent waits. */
export function otherVersion(what: string): ExchangeError {
  return new ExchangeError('exchange-version', `${what} is of a version that this program does not know`)
}
