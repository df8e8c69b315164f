// Contents read or written lately, decoded and verified: the next version of a page is compared with the last one, and
// the versions of a chain of deltas are read one through the other.

import { UsedLately } from '../record/used-lately.ts'
import { type ContentKey, printContentKey } from './content-key.ts'

export class ContentCache {
  readonly #contents: UsedLately<Uint8Array>

  constructor(bytesMax: number) {
    this.#contents = new UsedLately(bytesMax, ({ length }) => length)
  }

  get(key: ContentKey): Uint8Array | undefined {
    return this.#contents.get(printContentKey(key))
  }

  put(key: ContentKey, bytes: Uint8Array): void {
    this.#contents.put(printContentKey(key), bytes)
  }

  remove(key: ContentKey): void {
    this.#contents.remove(printContentKey(key))
  }
}
