// Imported captures: what becomes of each that a running peer takes in. It is sent to the others that keep it, as what is crawled is, and
// found by search soon.
//
// Bounded: where so many are on their way that others fall behind, the import waits for them. It does not wait at its end: what a crash
// leaves behind is found when peers compare what they have.

import type { Capture, Receipt } from '../../store/capture.ts'
import type { OtherKeepers } from '../../store/import/record-importer.ts'
import { type ContentsElsewhere, otherKeepers } from '../store/store-elsewhere.ts'

const underWayMax = 1_024

export class ImportedCaptures implements OtherKeepers {
  readonly #others: OtherKeepers | undefined
  readonly #spread: ((capture: Capture) => Promise<void>) | undefined
  readonly #note: (url: string) => void
  readonly #underWay = new Set<Promise<void>>()

  constructor(needs: {
    /** What other peers keep already is not kept again. */
    elsewhere: ContentsElsewhere | undefined
    /** Resolves when enough others have it; absent where there are none. */
    spread: ((capture: Capture) => Promise<void>) | undefined
    /** It was kept. */
    note(url: string): void
  }) {
    this.#others = otherKeepers(needs.elsewhere)
    this.#spread = needs.spread
    this.#note = (url) => needs.note(url)
  }

  look(url: Parameters<OtherKeepers['look']>[0]): ReturnType<OtherKeepers['look']> {
    return this.#others?.look(url)
  }

  async kept(receipt: Receipt): Promise<void> {
    await this.#others?.kept(receipt)
    const { outcome, capture } = receipt
    if (outcome !== 'kept') return
    this.#note(capture.url)
    if (this.#spread === undefined) return
    // It fails only when this peer stops.
    const sent: Promise<void> = this.#spread(capture)
      .catch(() => {})
      .finally(() => this.#underWay.delete(sent))
    this.#underWay.add(sent)
    while (this.#underWay.size > underWayMax) await Promise.race(this.#underWay)
  }
}
