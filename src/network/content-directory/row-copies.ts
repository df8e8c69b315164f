// Row copies: replicates directory rows to the other peers that keep them, in batches.
//
// A row that does not arrive is sent again only when the ring changes: losing a row costs the space of a duplicate, nothing else.

import { unlessFails } from '../../errors.ts'
import { Batchers } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { type ContentRow, digestOfRow, placeOfDigest } from './content-row.ts'
import type { ContentCalls, ContentPlaces } from './needs.ts'
import { contentQuestion, itemsMax } from './questions.ts'

interface Needs {
  readonly clock: Clock
  readonly places: ContentPlaces
  readonly calls: ContentCalls
}

/** For one peer. What comes beyond is lost there. */
const portions = { itemsMax, waitMs: 200, batchesMax: 1, waitingMax: 20_000 }
const callMs = 10_000

export class RowCopies {
  readonly #needs: Needs
  readonly #portions: Batchers<PeerId, ContentRow, void>
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#portions = new Batchers<PeerId, ContentRow, void>(needs, portions, async (peer, rows) => {
      if (!this.#isClosed) await this.give(peer, rows)
      return []
    })
  }

  /** Rows that were written here, for all who keep them with us. */
  spread(rows: readonly ContentRow[]): void {
    for (const row of rows) {
      for (const peer of this.#needs.places.partnersOf(placeOfDigest(digestOfRow(row))))
        void unlessFails(this.#portions.add(peer, row))
    }
  }

  /** To one peer, at most `itemsMax`. True when it has them for good. */
  async give(peer: PeerId, rows: readonly ContentRow[]): Promise<boolean> {
    const bytes = contentQuestion.encode({ kind: 'copy', items: rows })
    const call = this.#needs.calls.call(peer, bytes, { deadlineMs: callMs, channel: 'bulk' })
    return (await unlessFails(call)) !== undefined
  }

  close(): void {
    this.#isClosed = true
  }
}
