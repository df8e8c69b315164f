// Contents read or written lately, decoded and verified: the next version of a page is compared with the last one, and
// the versions of a chain of deltas are read one through the other.
//
// What is written has a small part of the room, apart from what is read: a crawl writes everything and asks for hardly any of
// it again, and would push out what readers ask for.
// Invariant: what is kept here keeps at most as much memory again beside its own. A payload as it came is often a small part
// of something larger.

import { bufferView } from '../../formats/wire/buffer-view.ts'
import { ownBytes } from '../../formats/wire/own-bytes.ts'
import { LruCache } from '../../model/lru-cache.ts'
import type { ContentKey } from './content-key.ts'

const shareOfWritten = 1 / 8

export class ContentCache {
  readonly #read: LruCache<string, Uint8Array>
  readonly #written: LruCache<string, Uint8Array>

  constructor(bytesMax: number) {
    const sizeOf = ({ length }: Uint8Array): number => length
    this.#read = new LruCache({ bytesMax: bytesMax * (1 - shareOfWritten), sizeOf })
    this.#written = new LruCache({ bytesMax: bytesMax * shareOfWritten, sizeOf })
  }

  get(key: ContentKey): Uint8Array | undefined {
    const name = nameOf(key)
    return this.#read.get(name) ?? this.#written.get(name)
  }

  putRead(key: ContentKey, bytes: Uint8Array): void {
    this.#read.set(nameOf(key), ownBytes(bytes))
  }

  putWritten(key: ContentKey, bytes: Uint8Array): void {
    this.#written.set(nameOf(key), ownBytes(bytes))
  }

  remove(key: ContentKey): void {
    const name = nameOf(key)
    this.#read.delete(name)
    this.#written.delete(name)
  }
}

/** Not as it is printed: every read asks. */
function nameOf({ digest, overflow }: ContentKey): string {
  const name = bufferView(digest.bytes).toString('latin1')
  return overflow === 0 ? name : `${name}.${overflow}`
}
