// Asks those who should keep a content to hold it, before another copy of it is spared: many contents in one message.

import { digestHex } from '../../model/digest.ts'
import { LruCache } from '../../model/lru-cache.ts'
import { Batcher, momentMs } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Keepers, Safety } from './keepers.ts'
import { type HeldAt, itemsMax } from './questions.ts'

/** Popular contents are found again and again: so long it is believed that they are still there. */
const safeMs = 30_000
const safeMax = 20_000

export class ContentHolds {
  readonly #clock: Clock
  readonly #batches: Batcher<HeldAt, Safety>
  /** When those who keep a content last said so, by digest and place. */
  readonly #safe = new LruCache<string, number>({ max: safeMax })

  constructor(needs: { clock: Clock; keepers: Keepers }) {
    this.#clock = needs.clock
    this.#batches = new Batcher(needs, { itemsMax, waitMs: momentMs }, (contents) =>
      needs.keepers.hold(contents),
    )
  }

  /** Whether enough of them have it, and hold it from now on. */
  async hold(content: HeldAt): Promise<boolean> {
    const name = `${digestHex(content.digest)} ${content.place}`
    const nowMs = this.#clock.monotonicMs()
    if ((this.#safe.get(name) ?? Number.NEGATIVE_INFINITY) > nowMs - safeMs) return true
    if ((await this.#batches.add(content)) !== 'safe') return false
    this.#safe.set(name, nowMs)
    return true
  }
}
