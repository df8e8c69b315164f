// Settles revisits that were imported before what they point at: once that has come, they get their content, and a
// reference to it, so that it stays as long as they do.

import { WarcDamage } from '../../formats/warc/damage.ts'
import type { ContentMatcher } from '../contents/content-matcher.ts'
import type { Ledger } from '../index/ledger.ts'
import type { StoreIndex } from '../index/store-index.ts'
import type { CaptureFinder } from '../reading/capture-finder.ts'
import type { RecordReader } from '../records/record-reader.ts'
import { type Revisited, revisitedBy } from '../records/revisited.ts'
import { StoreError } from '../store-error.ts'

interface Needs {
  index: StoreIndex
  ledger: Ledger
  finder: CaptureFinder
  matcher: ContentMatcher
  records: RecordReader
}

/** Waiting revisits looked at in one go. */
const batchMax = 500

export class RevisitResolver {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Gives how many were settled. A revisit of a revisit may take its turn after that: goes on until nothing changes. */
  async settle(): Promise<number> {
    let total = 0
    for (;;) {
      const settled = await this.#pass()
      total += settled
      if (settled === 0) return total
    }
  }

  async #pass(): Promise<number> {
    const { index } = this.#needs
    let settled = 0
    let from: Uint8Array = Buffer.from([0])
    for (;;) {
      const keys = [...index.waiting.range({ from, limit: batchMax })].map(([key]) => key)
      const found = await Promise.all(keys.map((key) => this.#revisitedBy(key)))
      if (keys.length > 0) {
        settled += await index.changeForGood(() => keys.filter((key, i) => this.#apply(key, found[i])).length)
      }
      if (keys.length < batchMax) return settled
      from = Buffer.concat([keys.at(-1)!, Buffer.from([0])])
    }
  }

  async #revisitedBy(key: Uint8Array): Promise<Revisited | undefined> {
    const entry = this.#needs.index.capture(key)
    if (entry === undefined || entry.content !== undefined) return undefined
    try {
      return revisitedBy(this.#needs, await this.#needs.records.start(entry.location))
    } catch (error) {
      // A record that cannot be read now goes on waiting.
      if (error instanceof WarcDamage || error instanceof StoreError) return undefined
      throw error
    }
  }

  /** Inside an index change. True when the revisit got its content now. */
  #apply(key: Uint8Array, revisited: Revisited | undefined): boolean {
    const { index, ledger } = this.#needs
    const entry = index.capture(key)
    if (entry === undefined || entry.content !== undefined) {
      index.waiting.remove(key)
      return false
    }
    const content = revisited?.content
    const held = content && index.content(content)
    if (content === undefined || held === undefined) return false
    index.waiting.remove(key)
    // A 304 carries no type of its own: the page is still what it was.
    const mime = entry.mime || (revisited?.original?.mime ?? '')
    ledger.settleCapture(key, { ...entry, content, mime, payloadBytes: held.sizeBytes })
    return true
  }
}
