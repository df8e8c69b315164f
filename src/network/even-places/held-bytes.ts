// Held bytes: about how much lies here on an arc.
//
// Of few captures all are counted. Of many an arc is divided into parts of about as many captures each, and of each part some are looked at:
// so an arc costs the same whatever lies there, and two peers that hold the same come to about the same.

import { LruCache } from '../../model/lru-cache.ts'
import type { RingKey } from '../../model/ring-key.ts'
import type { Clock } from '../../platform/clock.ts'
import { type CopyPlaces, rangesOn } from '../replication/captures/places.ts'
import type { KeyRange } from '../replication/sums/key-range.ts'
import type { RangeSums } from '../replication/sums/range-sums.ts'

interface Needs {
  readonly places: Pick<CopyPlaces, 'splits'>
  readonly sums: Pick<RangeSums, 'isComplete' | 'sumOf' | 'parts' | 'entries'>
  readonly clock: Clock
  /** As stored; undefined when it is not here any more. */
  sizeOf(key: Uint8Array): number | undefined
}

const [partsMax, entriesOfPart] = [32, 8]
const countedMax = partsMax * entriesOfPart
const knownMs = 60_000
const knownMax = 1_024

export class HeldBytes {
  readonly #needs: Needs
  readonly #known = new LruCache<string, { readonly bytes: number; readonly atMs: number }>({ max: knownMax })

  constructor(needs: Needs) {
    this.#needs = needs
  }

  on(after: RingKey, upTo: RingKey): number {
    const { places, sums, clock } = this.#needs
    if (!sums.isComplete) return 0
    const name = `${after} ${upTo}`
    const known = this.#known.get(name)
    if (known !== undefined && clock.monotonicMs() - known.atMs < knownMs) return known.bytes
    const bytes = rangesOn(places, { after, upTo }).reduce((sum, range) => sum + this.#in(range), 0)
    this.#known.set(name, { bytes, atMs: clock.monotonicMs() })
    return bytes
  }

  #in(range: KeyRange): number {
    const { sums } = this.#needs
    const tally = sums.sumOf(range)
    if (tally.count === 0) return 0
    if (tally.count <= countedMax) return Math.round(this.#meanOf(range, countedMax) * tally.count)
    const parts = sums.parts(range, partsMax, tally)
    return parts.reduce(
      (sum, part) => sum + Math.round(this.#meanOf(part.range, entriesOfPart) * part.tally.count),
      0,
    )
  }

  /** Of the first ones. */
  #meanOf(range: KeyRange, entriesMax: number): number {
    let [bytes, count] = [0, 0]
    for (const { key } of this.#needs.sums.entries(range, entriesMax)) {
      bytes += this.#needs.sizeOf(key) ?? 0
      count++
    }
    return count === 0 ? 0 : bytes / count
  }
}
