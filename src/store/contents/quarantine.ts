// Contents whose bytes turned out to be wrong: marked in the index, so that they are not served, not counted as known and
// not built upon until they are repaired.

import type { Log } from '../../platform/log.ts'
import type { ContentEntry } from '../index/content-entry.ts'
import { equalLocations, type Location } from '../index/location.ts'
import type { StoreIndex } from '../index/store-index.ts'
import { type ContentKey, printContentKey } from './content-key.ts'

export class Quarantine {
  readonly #index: StoreIndex
  readonly #log: Log

  constructor(needs: { index: StoreIndex; log: Log }) {
    this.#index = needs.index
    this.#log = needs.log
  }

  /** For a reader, who has an error of its own to tell. */
  async report(key: ContentKey, location: Location, cause: unknown): Promise<void> {
    const content = printContentKey(key)
    this.#log.error({ content, location, cause }, 'Stored bytes are damaged')
    try {
      await this.mark(key, location, true)
    } catch (error) {
      // The next read, or the scrub, will find it again.
      this.#log.warn({ content, error }, 'Damaged bytes could not be marked')
    }
  }

  /** Nothing happens when the content has moved: it was not looked at where it is now. */
  async mark(key: ContentKey, location: Location, isDamaged: boolean): Promise<void> {
    if (this.#toMark(key, location, isDamaged) === undefined) return
    await this.#index.change(() => {
      const entry = this.#toMark(key, location, isDamaged)
      if (entry !== undefined) this.#index.putContent(key, { ...entry, isDamaged })
    })
  }

  #toMark(key: ContentKey, location: Location, isDamaged: boolean): ContentEntry | undefined {
    const entry = this.#index.content(key)
    const isThere = entry !== undefined && equalLocations(entry.location, location)
    return isThere && entry.isDamaged !== isDamaged ? entry : undefined
  }
}
