// Which captures addresses meant lately, and what else follows from that: while nothing in the archive changes, they mean the same.
//
// Invariants: bounded, in number and length; of another revision of the archive nothing is remembered. Whether a capture may still be shown is
// not asked here.

import type { ReplayCapture } from './capture-source.ts'

const resolutionsMax = 4_096
/** Longer ones are rare, and would make the bound a poor one. */
const targetCharsMax = 1_000

export class RecentResolutions<Meaning = ReplayCapture> {
  readonly #meanings = new Map<string, Meaning>()
  #revision: number | undefined

  get(target: string, revision: number | undefined): Meaning | undefined {
    return revision === this.#revision ? this.#meanings.get(target) : undefined
  }

  /** `revision`: as it was before the address was resolved. An archive that has none is not remembered. */
  put(target: string, revision: number | undefined, meaning: Meaning): void {
    if (revision === undefined || target.length > targetCharsMax) return
    if (revision !== this.#revision || this.#meanings.size >= resolutionsMax) this.#meanings.clear()
    this.#revision = revision
    this.#meanings.set(target, meaning)
  }
}
