// What a takedown does to captures: hides them, shows them again, or takes them out for good; a part in each index change, so
// that others get their turn.
//
// Each walk can be cut off by a crash and begun again: what is done already is left alone. The takedown's entry is written in
// the changes that carry it out, so its count is exact.

import { parseUrl } from '../../model/url/url.ts'
import type { Range } from '../../platform/storage/key-value.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { Ledger } from '../index/ledger.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { requestRanges, selectedRanges } from '../reading/selected-ranges.ts'
import type { TakedownTarget } from './takedown-record.ts'
import { TakedownSet } from './takedown-set.ts'
import type { TakedownTraces } from './takedown-traces.ts'

/** Captures changed in one index change. */
const capturesAtOnce = 500

type Change = (key: Uint8Array, entry: CaptureEntry) => boolean

export class TakedownCaptures {
  readonly #index: StoreIndex
  readonly #ledger: Ledger
  readonly #traces: TakedownTraces

  constructor(needs: { index: StoreIndex; ledger: Ledger; traces: TakedownTraces }) {
    this.#index = needs.index
    this.#ledger = needs.ledger
    this.#traces = needs.traces
  }

  /** `counted`: told inside each change how many it hid. */
  hide(target: TakedownTarget, counted: (captures: number) => void): Promise<number> {
    const hide: Change = (key, entry) => {
      if (entry.isHidden) return false
      this.#ledger.hideCapture(key, entry)
      return true
    }
    return this.#walk(target, hide, counted)
  }

  /** But for those that are hidden by others as well. */
  show(target: TakedownTarget, others: TakedownSet): Promise<number> {
    return this.#walk(target, (key, entry) => {
      if (!entry.isHidden || others.hides(parseUrl(entry.url))) return false
      this.#ledger.showCapture(key, entry)
      return true
    })
  }

  /** Out of the index: compaction ends their bytes, and what names them. */
  async destroy(target: TakedownTarget): Promise<number> {
    const destroy: Change = (key, entry) => {
      this.#ledger.removeCapture(key, entry, 'destroyed')
      return true
    }
    return this.#walk(target, destroy, (captures) => {
      if (captures > 0) this.#traces.mayExist()
    })
  }

  async #walk(target: TakedownTarget, change: Change, counted?: (captures: number) => void): Promise<number> {
    let count = 0
    const meant = new TakedownSet()
    meant.add(target)
    for (const range of [...requestRanges(target), ...selectedRanges(this.#index, target)]) {
      for (let { from } = range; ; ) {
        const { changed, last } = await this.#index.change(() => {
          const some = this.#some(meant, { ...range, from: from! }, change)
          counted?.(some.changed)
          return some
        })
        count += changed
        if (last === undefined) break
        from = last
      }
    }
    return count
  }

  /** Inside an index change. `last`: where to go on, if there may be more. */
  #some(meant: TakedownSet, range: Range, change: Change): { changed: number; last: Uint8Array | undefined } {
    const some = [...this.#index.captures({ ...range, limit: capturesAtOnce })]
    // Between the keys of an IPv6 site lie those of its neighbours, and between requests of a URL others of the same path.
    const changed = some.filter(
      ([key, entry]) => meant.hides(parseUrl(entry.url)) && change(key, entry),
    ).length
    const last = some.length < capturesAtOnce ? undefined : some.at(-1)![0]
    return { changed, last: last && Buffer.concat([last, Buffer.from([0])]) }
  }
}
