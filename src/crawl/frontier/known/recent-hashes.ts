// Recent hashes: the URLs met lately, remembered by 64 bits of their hash, so that most links need no look on disk.
//
// Four places for each URL; the oldest of the four makes way. Only URLs that are known for sure are put in, so what it has
// is known, but for an accident of 64 bits. The table begins small, which the processor's cache likes, and grows with what
// is put in, up to its size.

import type { UrlHash } from './url-hash.ts'

const places = 4
const setsFirst = 16_384
const growth = 4

export class RecentHashes {
  readonly #setsMax: number
  #sets: number
  #words: Uint32Array
  #added = 0

  /** Remembers up to this many; 8 bytes each. */
  constructor(count: number) {
    this.#setsMax = Math.max(1, Math.floor(count / places))
    this.#sets = Math.min(setsFirst, this.#setsMax)
    this.#words = wordsFor(this.#sets)
  }

  get bytes(): number {
    return this.#words.byteLength
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
    // With one URL to a set on average, few have lost one.
    if (++this.#added > this.#sets && this.#sets < this.#setsMax) this.#grow()
    this.#put(a, b)
  }

  #put(a: number, b: number): void {
    const words = this.#words
    const set = this.#setOf(a)
    // One by one: copyWithin is made for more.
    for (let place = set + 2 * places - 1; place >= set + 2; place--) words[place] = words[place - 2]!
    words[set] = a
    words[set + 1] = b
  }

  #grow(): void {
    const before = this.#words
    this.#sets = Math.min(this.#sets * growth, this.#setsMax)
    this.#words = wordsFor(this.#sets)
    // The oldest of a set first, as they came.
    for (let set = 0; set < before.length; set += 2 * places) {
      for (let place = set + 2 * (places - 1); place >= set; place -= 2) {
        const [a, b] = [before[place]!, before[place + 1]!]
        if (a !== 0 || b !== 0) this.#put(a, b)
      }
    }
  }

  #setOf(a: number): number {
    // The filter uses a's upper bits as well, but for a yes or no, so that is no harm.
    return Math.floor((a / 0x1_0000_0000) * this.#sets) * places * 2
  }
}

function wordsFor(sets: number): Uint32Array {
  return new Uint32Array(sets * places * 2)
}
