// Contents that captures of other peers need: held here, whatever becomes of the captures that they came with.
//
// A hold is a reference like a capture's, one for each content: a takedown hides what it names and leaves the bytes to those
// who still need them, and no delete, drop or compaction ends them before the hold is let go. Holding twice is holding once.

import type { Digest } from '../../model/digest.ts'
import { type RingKey, ringKeyFromBytes } from '../../model/ring-key.ts'
import type { ContentKey } from '../contents/content-key.ts'
import { contentTableKey, isHidden, parseContentTableKey } from '../index/content-entry.ts'
import type { Ledger } from '../index/ledger.ts'
import type { SharedChanges } from '../index/shared-changes.ts'
import type { StoreIndex } from '../index/store-index.ts'

export interface HeldContent {
  readonly digest: Digest
  /** Where on the ring the captures are that it came with. */
  readonly place: RingKey
}

interface Needs {
  index: StoreIndex
  ledger: Ledger
  changes: SharedChanges
}

export class HeldContents {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Whether it is here, whole, and not hidden. */
  has(digest: Digest): boolean {
    const entry = this.#needs.index.content(keyOf(digest))
    return entry?.isDamaged === false && !isHidden(entry)
  }

  /** For each whether it is here, whole, and held for good. */
  async hold(contents: readonly HeldContent[]): Promise<boolean[]> {
    const { changes, ledger } = this.#needs
    const isHere = contents.map(({ digest }) => this.has(digest))
    if (contents.every(({ digest }, index) => !isHere[index] || this.#isHeld(keyOf(digest)))) return isHere
    return changes.changeForGood(() =>
      contents.map(({ digest, place }, index) => isHere[index]! && ledger.hold(keyOf(digest), place)),
    )
  }

  async letGo(digests: readonly Digest[]): Promise<void> {
    const { changes, ledger } = this.#needs
    const keys = digests.map(keyOf).filter((key) => this.#isHeld(key))
    if (keys.length === 0) return
    await changes.changeForGood(() => {
      for (const key of keys) ledger.letGo(key)
    })
  }

  /** Those that nothing else here needs, in the order of digests. */
  *heldAlone(after?: Digest): Generator<HeldContent> {
    const { index } = this.#needs
    const from = after && Buffer.concat([after.bytes, Buffer.from([0])])
    for (const [key, place] of index.held.range(from && { from })) {
      const content = parseContentTableKey(key)
      if (index.content(content)?.references === 1)
        yield { digest: content.digest, place: ringKeyFromBytes(place) }
    }
  }

  #isHeld(key: ContentKey): boolean {
    return this.#needs.index.held.get(contentTableKey(key)) !== undefined
  }
}

/** The first of its digest: others are told apart by what nobody else knows. */
function keyOf(digest: Digest): ContentKey {
  return { digest, overflow: 0 }
}
