// Contents read or written lately, decoded and verified: the next version of a page is compared with the last one, and
// the versions of a chain of deltas are read one through the other. Bounded by bytes; the least recently used goes first.

import { type ContentKey, printContentKey } from './content-key.ts'

export class ContentCache {
  readonly #bytesMax: number
  readonly #contents = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get(key: ContentKey): Uint8Array | undefined {
    const name = printContentKey(key)
    const bytes = this.#contents.get(name)
    if (bytes === undefined) return undefined
    this.#contents.delete(name)
    this.#contents.set(name, bytes)
    return bytes
  }

  put(key: ContentKey, bytes: Uint8Array): void {
    // One large content must not push out everything else.
    if (bytes.length > this.#bytesMax / 8) return
    this.remove(key)
    this.#contents.set(printContentKey(key), bytes)
    this.#bytes += bytes.length
    for (const [name, oldest] of this.#contents) {
      if (this.#bytes <= this.#bytesMax) break
      this.#contents.delete(name)
      this.#bytes -= oldest.length
    }
  }

  remove(key: ContentKey): void {
    const name = printContentKey(key)
    this.#bytes -= this.#contents.get(name)?.length ?? 0
    this.#contents.delete(name)
  }
}
