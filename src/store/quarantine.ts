// Contents whose bytes turned out to be wrong: marked in the index, so that they are not served, not counted as known and
// not built upon until they are repaired.

import type { Log } from '../world/log.ts'
import { type ContentKey, printContentKey } from './content-key.ts'
import { equalLocations, type Location } from './index/location.ts'
import type { StoreIndex } from './index/store-index.ts'

export class Quarantine {
  readonly #index: StoreIndex
  readonly #log: Log

  constructor(needs: { index: StoreIndex; log: Log }) {
    this.#index = needs.index
    this.#log = needs.log
  }

  /** For a reader, who does not wait for it. */
  report(key: ContentKey, location: Location, cause: unknown): void {
    this.#log.error({ content: printContentKey(key), location, cause }, 'Stored bytes are damaged')
    this.mark(key, location, true).catch((error: unknown) => {
      // The next read, or the scrub, will find it again.
      this.#log.warn({ content: printContentKey(key), error }, 'Damaged bytes could not be marked')
    })
  }

  /** Nothing happens when the content has moved: it was not looked at where it is now. */
  async mark(key: ContentKey, location: Location, isDamaged: boolean): Promise<void> {
    await this.#index.change(() => {
      const entry = this.#index.content(key)
      if (entry === undefined || !equalLocations(entry.location, location)) return
      if (entry.isDamaged !== isDamaged) this.#index.putContent(key, { ...entry, isDamaged })
    })
  }
}
