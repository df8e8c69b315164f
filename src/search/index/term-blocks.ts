// Term blocks: the terms of a segment in order, with their posting lists, some kilobytes of them in each value, filed under the
// segment and the first term. A term is found by the last block that does not begin behind it.
//
// The map stores a value of that size in whole pages of its file, so a block ends where a page does (full-pages.ts).

import type { Table } from '../../platform/storage/key-value.ts'
import { keyAfter } from '../../platform/storage/key-value.ts'
import { isFull } from './full-pages.ts'
import { decodePostings, type PostingList, pushNumber, readNumber, readNumberAt } from './posting-list.ts'
import { damaged, sealed, unsealed } from './sealed-bytes.ts'

export interface CodedTerm {
  readonly term: string
  /** A word that it stands for; '' where that is the term itself. */
  readonly surface: string
  readonly count: number
  /** The number of its last document. */
  readonly last: number
  readonly documents: Uint8Array
  readonly places: Uint8Array
}

/** Of a term, in pieces that are written one behind the other. */
export interface CodedPostings {
  readonly count: number
  readonly last: number
  readonly documents: readonly Uint8Array[]
  readonly places: readonly Uint8Array[]
}

/** Takes terms in ascending order of their bytes; gives blocks out as they fill. */
export class TermBlockWriter {
  readonly #segment: number
  readonly #put: (key: Uint8Array, value: Uint8Array) => void
  #parts: Uint8Array[] = []
  #bytes = 0
  #first = ''

  constructor(segment: number, put: (key: Uint8Array, value: Uint8Array) => void) {
    this.#segment = segment
    this.#put = put
  }

  add(term: string, surface: string, { count, last, documents, places }: CodedPostings): void {
    const [termBytes, surfaceBytes] = [Buffer.from(term), Buffer.from(surface)]
    const head: number[] = []
    const lengths = [lengthOf(documents), lengthOf(places)]
    for (const number of [termBytes.length, surfaceBytes.length, count, last, ...lengths])
      pushNumber(head, number)
    const parts = [Uint8Array.from(head), termBytes, surfaceBytes, ...documents, ...places]
    const bytes = lengthOf(parts)
    if (isFull(this.#bytes, bytes)) this.end()
    if (this.#parts.length === 0) this.#first = term
    this.#bytes += bytes
    this.#parts.push(...parts)
  }

  end(): void {
    if (this.#parts.length === 0) return
    this.#put(blockKey(this.#segment, Buffer.from(this.#first)), sealed(Buffer.concat(this.#parts)))
    this.#parts = []
    this.#bytes = 0
  }
}

export function findTerm(table: Table, segment: number, term: string): CodedTerm | undefined {
  const range = {
    from: segmentKey(segment),
    to: keyAfter(blockKey(segment, Buffer.from(term))),
    reverse: true,
    limit: 1,
  }
  for (const [, value] of table.range(range)) return termInBlock(value, Buffer.from(term))
  return undefined
}

/** Of most terms only the lengths are looked at. */
function termInBlock(value: Uint8Array, wanted: Buffer): CodedTerm | undefined {
  const bytes = unsealed(value)
  for (let at = 0; at < bytes.length; ) {
    const start = at
    const term = readNumberAt(bytes, at)
    const termBytes = term.value
    const surface = readNumberAt(bytes, term.next)
    const surfaceBytes = surface.value
    at = readNumberAt(bytes, readNumberAt(bytes, surface.next).next).next
    const documents = readNumberAt(bytes, at)
    const documentBytes = documents.value
    const places = readNumberAt(bytes, documents.next)
    const nameAt = places.next
    at = nameAt + termBytes + surfaceBytes + documentBytes + places.value
    if (at > bytes.length) throw damaged()
    if (termBytes === wanted.length && bytes.compare(wanted, 0, termBytes, nameAt, nameAt + termBytes) === 0)
      return termsInBlock(bytes, start).next().value as CodedTerm
  }
  return undefined
}

export function postingsOf({ count, documents, places }: CodedTerm): PostingList {
  return decodePostings(count, documents, places)
}

/** From the block that has the first term on, in order. */
export function* termsFrom(table: Table, segment: number, term = ''): Generator<CodedTerm> {
  let from: Uint8Array = segmentKey(segment)
  if (term !== '') {
    const before = { from, to: keyAfter(blockKey(segment, Buffer.from(term))), reverse: true, limit: 1 }
    for (const [key] of table.range(before)) from = key
  }
  for (const [, value] of table.range({ from, to: segmentKey(segment + 1) }))
    yield* termsInBlock(unsealed(value), 0)
}

export function removeTerms(table: Table, segment: number, blocksMax: number): boolean {
  const keys = [...table.range({ from: segmentKey(segment), to: segmentKey(segment + 1), limit: blocksMax })]
  for (const [key] of keys) table.remove(key)
  return keys.length < blocksMax
}

/** Terms sorted by it are in the order of their bytes, as the blocks are. */
export function orderOf(term: string): string {
  return /^[\u0000-\u007f]*$/.test(term) ? term : Buffer.from(term).toString('latin1')
}

export function segmentKey(segment: number): Buffer {
  const key = Buffer.allocUnsafe(4)
  key.writeUInt32BE(segment)
  return key
}

export function blockKey(segment: number, term: Uint8Array): Buffer {
  return Buffer.concat([segmentKey(segment), term])
}

function* termsInBlock(bytes: Buffer, start: number): Generator<CodedTerm> {
  for (let at = start; at < bytes.length; ) {
    const head: number[] = []
    for (let index = 0; index < 6; index++) {
      const [number, next] = readNumber(bytes, at)
      head.push(number)
      at = next
    }
    const [termBytes, surfaceBytes, count, last, documentBytes, placeBytes] = head as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    const surfaceAt = at + termBytes
    const documentsAt = surfaceAt + surfaceBytes
    const placesAt = documentsAt + documentBytes
    if (placesAt + placeBytes > bytes.length) throw damaged()
    const term = bytes.toString('utf8', at, surfaceAt)
    const surface = bytes.toString('utf8', surfaceAt, documentsAt)
    const documents = bytes.subarray(documentsAt, placesAt)
    at = placesAt + placeBytes
    yield { term, surface, count, last, documents, places: bytes.subarray(placesAt, at) }
  }
}

function lengthOf(parts: readonly Uint8Array[]): number {
  let length = 0
  for (const part of parts) length += part.length
  return length
}
