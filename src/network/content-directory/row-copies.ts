// Rows of the directory on their way to the others who keep them, some at a time.
//
// What does not arrive is told again only when the ring changes: a row that is lost with its last holder costs the room of a
// duplicate, nothing else.

import { PolyhistorError } from '../../errors.ts'
import type { Clock, Timer } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network.ts'
import { type ContentRow, digestOfRow, placeOfDigest } from './content-row.ts'
import type { ContentCalls, ContentPlaces } from './needs.ts'
import { contentQuestion, itemsMax } from './questions.ts'

interface Needs {
  readonly clock: Clock
  readonly places: ContentPlaces
  readonly calls: ContentCalls
}

const gatherMs = 200
/** For one peer. What comes beyond is lost there. */
const waitingMax = 20_000
const callMs = 10_000

export class RowCopies {
  readonly #needs: Needs
  readonly #waiting = new Map<PeerId, ContentRow[]>()
  readonly #sending = new Map<PeerId, Promise<void>>()
  #timer: Timer | undefined
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Rows that were written here, for all who keep them with us. */
  spread(rows: readonly ContentRow[]): void {
    for (const row of rows) {
      for (const peer of this.#needs.places.partnersOf(placeOfDigest(digestOfRow(row)))) {
        const waiting = this.#waiting.get(peer)
        if (waiting === undefined) this.#waiting.set(peer, [row])
        else if (waiting.length < waitingMax) waiting.push(row)
      }
    }
    if (this.#waiting.size > 0 && !this.#isClosed)
      this.#timer ??= this.#needs.clock.after(gatherMs, () => this.#sendAll())
  }

  /** To one peer, at most `itemsMax`. True when it has them for good. */
  async give(peer: PeerId, rows: readonly ContentRow[]): Promise<boolean> {
    const bytes = contentQuestion.encode({ kind: 'copy', items: rows })
    try {
      await this.#needs.calls.call(peer, bytes, { deadlineMs: callMs, channel: 'bulk' })
      return true
    } catch (error) {
      if (error instanceof PolyhistorError) return false
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer?.cancel()
    this.#waiting.clear()
    await Promise.allSettled(this.#sending.values())
  }

  #sendAll(): void {
    this.#timer = undefined
    for (const peer of [...this.#waiting.keys()]) {
      if (this.#sending.has(peer)) continue
      const sending = this.#send(peer).finally(() => this.#sending.delete(peer))
      this.#sending.set(peer, sending)
    }
  }

  async #send(peer: PeerId): Promise<void> {
    for (;;) {
      const rows = this.#waiting.get(peer)?.splice(0, itemsMax) ?? []
      if (rows.length === 0) break
      if (!(await this.give(peer, rows))) break
    }
    this.#waiting.delete(peer)
  }
}
