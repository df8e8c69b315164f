// Recent hashes: the URLs met lately, remembered by 64 bits of their hash, so that most links need no look on disk.
//
// A table of fixed size, four places for each URL; the oldest of the four makes way. Only URLs that are known for sure
// are put in, so what it has is known, but for an accident of 64 bits.

import type { UrlHash } from './url-hash.ts'

const places = 4

export class RecentHashes {
  readonly #words: Uint32Array
  readonly #sets: number

  /** Remembers up to this many; 8 bytes each. */
  constructor(count: number) {
    this.#sets = Math.max(1, Math.floor(count / places))
    this.#words = new Uint32Array(this.#sets * places * 2)
  }

  has({ a, b }: UrlHash): boolean {
    const words = this.#words
    const set = this.#setOf(a)
    for (let place = set; place < set + 2 * places; place += 2) {
      if (words[place] === a && words[place + 1] === b) return true
    }
    return false
  }

  add({ a, b }: UrlHash): void {
    const words = this.#words
    const set = this.#setOf(a)
    // One by one: copyWithin is made for more.
    for (let place = set + 2 * places - 1; place >= set + 2; place--) words[place] = words[place - 2]!
    words[set] = a
    words[set + 1] = b
  }

  #setOf(a: number): number {
    // The filter uses a's upper bits as well, but for a yes or no, so that is no harm.
    return Math.floor((a / 0x1_0000_0000) * this.#sets) * places * 2
  }
}
