// Page names: numbers for hrefs, from 0 on in the order in which they came.
//
// For millions: the bytes lie one after the other, with a hash table of numbers beside them; strings in a Map would take several times
// as much. Exact: names are compared, not hashes.

const bytesFirst = 64 * 1024
const placesFirst = 1_024
const nameBytesMax = 64 * 1024
const encoder = new TextEncoder()
/** The name that is looked for: of all tables, for nobody waits in the midst of it. */
const scratch = new Uint8Array(nameBytesMax)

export class PageNames {
  /** Asked for more, `add` answers undefined. */
  readonly #countMax: number
  #bytes = Buffer.allocUnsafe(bytesFirst)
  /** Where each begins, and the last ends. */
  #starts = new Float64Array(placesFirst + 1)
  #hashes = new Uint32Array(placesFirst)
  /** A number and 1; 0 where there is none. Twice as many places as names, or more. */
  #places = new Uint32Array(2 * placesFirst)
  #count = 0

  constructor(countMax = 2 ** 30) {
    this.#countMax = countMax
  }

  get count(): number {
    return this.#count
  }

  nameOf(number: number): string {
    return this.#bytes.toString('latin1', this.#starts[number]!, this.#starts[number + 1]!)
  }

  numberOf(name: string): number | undefined {
    const length = this.#write(name)
    const found = this.#places[this.#placeOf(length, this.#hashOf(length))]!
    return found === 0 ? undefined : found - 1
  }

  /** The number that it has, or gets; undefined when there are too many. */
  add(name: string): number | undefined {
    const length = this.#write(name)
    const hash = this.#hashOf(length)
    const place = this.#placeOf(length, hash)
    const found = this.#places[place]!
    if (found !== 0) return found - 1
    if (this.#count >= this.#countMax) return undefined
    const number = this.#count++
    this.#keep(number, length, hash)
    this.#places[place] = number + 1
    if (2 * this.#count > this.#places.length) this.#rehash()
    return number
  }

  /** Hrefs are ASCII. What is not, or is longer than any URL that is kept, is told apart by what it has of that. */
  #write(name: string): number {
    return encoder.encodeInto(name, scratch).written
  }

  #keep(number: number, length: number, hash: number): void {
    const start = this.#starts[number]!
    if (start + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, start + length))
      this.#bytes.copy(larger, 0, 0, start)
      this.#bytes = larger
    }
    if (number + 2 > this.#starts.length) {
      this.#starts = grown(this.#starts, new Float64Array(2 * this.#starts.length))
      this.#hashes = grown(this.#hashes, new Uint32Array(this.#starts.length))
    }
    this.#bytes.set(scratch.subarray(0, length), start)
    this.#starts[number + 1] = start + length
    this.#hashes[number] = hash
  }

  /** FNV-1a, mixed. */
  #hashOf(length: number): number {
    let hash = 0x811c9dc5
    for (let at = 0; at < length; at++) hash = Math.imul(hash ^ scratch[at]!, 0x01000193)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    return (hash ^ (hash >>> 13)) >>> 0
  }

  /** Of the scratch's name: where it is, or would be. */
  #placeOf(length: number, hash: number): number {
    const mask = this.#places.length - 1
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const found = this.#places[place]!
      if (found === 0 || (this.#hashes[found - 1] === hash && this.#isAt(found - 1, length))) return place
    }
  }

  #isAt(number: number, length: number): boolean {
    const start = this.#starts[number]!
    if (this.#starts[number + 1]! - start !== length) return false
    for (let at = 0; at < length; at++) if (this.#bytes[start + at] !== scratch[at]) return false
    return true
  }

  #rehash(): void {
    const places = new Uint32Array(2 * this.#places.length)
    const mask = places.length - 1
    for (let number = 0; number < this.#count; number++) {
      let place = this.#hashes[number]! & mask
      while (places[place] !== 0) place = (place + 1) & mask
      places[place] = number + 1
    }
    this.#places = places
  }
}

function grown<T extends Float64Array | Uint32Array>(from: T, into: T): T {
  into.set(from)
  return into
}
