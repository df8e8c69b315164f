// Posting list: the documents of a segment that have a term, in ascending order, with the term's weight and its places in each.
//
// Coded in two streams, for most questions read only the first: documents as differences with their weights, and places, each
// document's behind their length in bytes.

import { damaged } from './sealed-bytes.ts'

export interface PostingList {
  readonly documents: Int32Array
  readonly weights: Uint8Array
  /** The second stream. */
  readonly places: Uint8Array
}

export class PostingWriter {
  readonly documents: number[] = []
  readonly places: number[] = []
  count = 0
  #last = -1

  add(document: number, weight: number): void {
    pushNumber(this.documents, document - this.#last - 1)
    this.documents.push(weight)
    this.#last = document
    this.count++
  }

  get last(): number {
    return this.#last
  }

  /** As another list has them. */
  copyPlaces(places: Uint8Array): void {
    pushNumber(this.places, places.length)
    for (const byte of places) this.places.push(byte)
  }
}

export function decodePostings(count: number, documents: Uint8Array, places: Uint8Array): PostingList {
  const numbers = new Int32Array(count)
  const weights = new Uint8Array(count)
  let at = 0
  let last = -1
  for (let index = 0; index < count; index++) {
    let byte = documents[at++]!
    let delta = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = documents[at++]!
      delta |= (byte & 127) << shift
    }
    last += delta + 1
    numbers[index] = last
    weights[index] = documents[at++]!
  }
  if (at !== documents.length) throw damaged()
  return { documents: numbers, weights, places }
}

/** Goes through the places of a list; documents must be asked for in ascending order. */
export class PlaceReader {
  readonly #places: Uint8Array
  #at = 0
  #index = 0

  constructor({ places }: PostingList) {
    this.#places = places
  }

  bytesOf(index: number): Uint8Array {
    let length = 0
    for (; this.#index <= index; this.#index++) {
      this.#at += length
      const [value, next] = readNumber(this.#places, this.#at)
      length = value
      this.#at = next
    }
    const bytes = this.#places.subarray(this.#at, this.#at + length)
    this.#at += length
    return bytes
  }

  placesOf(index: number): number[] {
    const bytes = this.bytesOf(index)
    const places: number[] = []
    let last = 0
    for (let at = 0; at < bytes.length; ) {
      const [delta, next] = readNumber(bytes, at)
      at = next
      places.push((last += delta))
    }
    return places
  }
}

export function pushNumber(bytes: number[], value: number): void {
  let rest = value
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest >>>= 7
  }
  bytes.push(rest)
}

/** The number, and where the next begins. */
export function readNumber(bytes: Uint8Array, start: number): [value: number, next: number] {
  const { value, next } = readNumberAt(bytes, start)
  return [value, next]
}

/** The number, and where the next begins: this object again at the next call, so that none is made for each. */
const read = { value: 0, next: 0 }

export function readNumberAt(
  bytes: Uint8Array,
  start: number,
): { readonly value: number; readonly next: number } {
  let at = start
  let byte = bytes[at++]!
  let value = byte & 127
  for (let shift = 7; byte > 127; shift += 7) {
    byte = bytes[at++]!
    value |= (byte & 127) << shift
  }
  read.value = value >>> 0
  read.next = at
  return read
}

/** Gives where the next begins. */
export function writeNumber(bytes: Uint8Array, start: number, value: number): number {
  let at = start
  let rest = value
  while (rest > 127) {
    bytes[at++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[at++] = rest
  return at
}

export function bytesOfNumber(value: number): number {
  let bytes = 1
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes++
  return bytes
}
