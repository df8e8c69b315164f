// Known filter: a blocked Bloom filter over the known URLs of one site, which grows with it.
//
// Invariant: never denies a URL that was added. Of those that were not, it takes about 1 % for known.
// Each URL sets 6 bits within one block of 256, so a test touches one line of the processor's cache. When the bits get
// tight a larger filter goes on beside the full one (each 4 times the last): tests ask all, newest first, and there are
// few. The bits of a site of n URLs take 16 to 80 bits a URL, half a kilobyte at least.

import type { UrlHash } from './url-hash.ts'

const wordsPerBlock = 8
const bitsPerUrl = 16
const urlsFirst = 256
const growth = 4

class Layer {
  readonly urlsMax: number
  urls = 0
  readonly #words: Uint32Array
  readonly #blocks: number

  constructor(urlsMax: number) {
    this.urlsMax = urlsMax
    this.#blocks = Math.ceil((urlsMax * bitsPerUrl) / (32 * wordsPerBlock))
    this.#words = new Uint32Array(this.#blocks * wordsPerBlock)
  }

  get bytes(): number {
    return this.#words.length * 4
  }

  add({ a, b, c }: UrlHash): void {
    const block = this.#blockOf(a)
    for (let bit = 0, bits = b; bit < 6; bit++, bits = bit === 3 ? c : bits >>> 8) {
      this.#words[block + ((bits >>> 5) & 7)]! |= 1 << (bits & 31)
    }
    this.urls++
  }

  has({ a, b, c }: UrlHash): boolean {
    const block = this.#blockOf(a)
    for (let bit = 0, bits = b; bit < 6; bit++, bits = bit === 3 ? c : bits >>> 8) {
      if ((this.#words[block + ((bits >>> 5) & 7)]! & (1 << (bits & 31))) === 0) return false
    }
    return true
  }

  #blockOf(a: number): number {
    return Math.floor((a / 0x1_0000_0000) * this.#blocks) * wordsPerBlock
  }
}

export class KnownFilter {
  readonly #layers: Layer[] = []

  get bytes(): number {
    let bytes = 0
    for (const layer of this.#layers) bytes += layer.bytes
    return bytes
  }

  add(hash: UrlHash): void {
    let layer = this.#layers.at(-1)
    if (layer === undefined || layer.urls >= layer.urlsMax) {
      layer = new Layer(layer === undefined ? urlsFirst : layer.urlsMax * growth)
      this.#layers.push(layer)
    }
    layer.add(hash)
  }

  /** False: certainly not known. */
  mayHave(hash: UrlHash): boolean {
    for (let index = this.#layers.length - 1; index >= 0; index--) {
      if (this.#layers[index]!.has(hash)) return true
    }
    return false
  }
}
