// Take: what the exchange needs of whoever keeps links: a frontier, and who may crawl what.

import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'
import type { ForwardedLink } from './forwarded-link.ts'

export interface AcceptResult {
  /** Sites whose links were not taken for now: their sender is to come again soon. */
  readonly later: ReadonlySet<RingKey>
}

/** Resolves when the links are safe where they belong, but for those of sites that it names. Links that are not wanted there
 * it drops. Rejects when all are to be sent again later. Taking the same again does no harm. `from`: who sent them, ourselves
 * when they are from our own outbox. */
export type LinkSink = (links: readonly ForwardedLink[], from: PeerId) => Promise<AcceptResult>

export const allAccepted: AcceptResult = { later: new Set() }
