// Segment builder: documents that wait to become a segment.
//
// What comes is kept as it is, with the numbers of its terms, and of each term only how many bytes it will take. So when the segment is
// written every term has its place at once, and the pages are gone through one after the other, each posting put where it belongs.
// Lists for each term, of which there are a hundred thousand, would take several times as long.

import { ByteTable } from '../packing/byte-table.ts'
import { NumberList } from '../packing/growing-lists.ts'
import { Columns, type DocumentFacts, type DocumentState } from './columns.ts'
import { enoughBytes, isFull } from './full-pages.ts'
import { bytesOfNumber, readNumberAt, writeNumber } from './posting-list.ts'
import { seal, sealBytes } from './sealed-bytes.ts'
import { blockKey } from './term-blocks.ts'

export class SegmentBuilder {
  readonly #terms = new ByteTable()
  readonly #documents: (DocumentFacts & DocumentState)[] = []
  /** As page-terms.ts packs them. */
  readonly #pages: Uint8Array[] = []
  /** Of each posting, in the order of the pages. */
  readonly #termOf = new NumberList()
  /** Of each term: where a word that it stands for lies, as a page, a start and a length. */
  readonly #surfacePage = new NumberList()
  readonly #surfaceStart = new NumberList()
  readonly #surfaceBytes = new NumberList()
  readonly #counts = new NumberList()
  readonly #last = new NumberList()
  readonly #documentBytes = new NumberList()
  readonly #placeBytes = new NumberList()
  #bytes = 0

  get count(): number {
    return this.#documents.length
  }

  /** About the memory that it takes, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  add(facts: DocumentFacts, page: Uint8Array): void {
    const document = this.#documents.length
    this.#documents.push({ ...facts, flags: 0, fromMs: 0, lastMs: 0, toMs: 0 })
    this.#pages.push(page)
    const terms = this.#terms
    let postings = 0
    for (let at = 0; at < page.length; postings++) {
      const reading = readNumberAt(page, at)
      const start = reading.next
      const end = start + reading.value
      const term = terms.numberOf(page, start, end)
      const surface = readNumberAt(page, end)
      const [surfaceStart, surfaceBytes] = [surface.next, surface.value]
      if (term === this.#counts.length) this.#begin(document, surfaceStart, surfaceBytes)
      // Behind the word and the weight.
      const placesAt = surfaceStart + surfaceBytes + 1
      const places = readNumberAt(page, placesAt)
      const placesEnd = places.next + places.value
      this.#termOf.add(term)
      const gap = document - this.#last.values[term]!
      this.#last.values[term] = document + 1
      this.#counts.values[term]!++
      this.#documentBytes.values[term]! += bytesOfNumber(gap) + 1
      this.#placeBytes.values[term]! += placesEnd - placesAt
      at = placesEnd
    }
    this.#bytes += page.length + 4 * postings
  }

  /** Of a document that is here; false where it is not. */
  set(id: number, state: DocumentState): boolean {
    const index = id - (this.#documents[0]?.id ?? 0)
    const document = this.#documents[index]
    if (document?.id !== id) return false
    this.#documents[index] = { ...document, ...state }
    return true
  }

  columns(): Columns {
    return Columns.of(this.#documents)
  }

  write(segment: number, put: (key: Uint8Array, value: Uint8Array) => void): void {
    const { content, blocks, documentsAt, placesAt } = this.#layOut()
    const termOf = this.#termOf.values
    const last = new Int32Array(this.#terms.count).fill(-1)
    let posting = 0
    for (const [document, page] of this.#pages.entries()) {
      for (let at = 0; at < page.length; posting++) {
        const term = termOf[posting]!
        const name = readNumberAt(page, at)
        const surface = readNumberAt(page, name.next + name.value)
        const weightAt = surface.next + surface.value
        const places = readNumberAt(page, weightAt + 1)
        const end = places.next + places.value
        const to = writeNumber(content, documentsAt[term]!, document - last[term]! - 1)
        last[term] = document
        content[to] = page[weightAt]!
        documentsAt[term] = to + 1
        let own = placesAt[term]!
        for (let from = weightAt + 1; from < end; from++) content[own++] = page[from]!
        placesAt[term] = own
        at = end
      }
    }
    for (const { start, end, first } of blocks) {
      const block = content.subarray(start, end)
      seal(block)
      put(blockKey(segment, first), block)
    }
  }

  #begin(document: number, surfaceStart: number, surfaceBytes: number): void {
    this.#surfacePage.add(document)
    this.#surfaceStart.add(surfaceStart)
    this.#surfaceBytes.add(surfaceBytes)
    this.#counts.add(0)
    this.#last.add(0)
    this.#documentBytes.add(0)
    this.#placeBytes.add(0)
  }

  /** Blocks as term-blocks.ts reads them, with room for the postings of each term. */
  #layOut(): Layout {
    const ordered = this.#inOrder()
    const [documentsAt, placesAt] = [new Float64Array(ordered.length), new Float64Array(ordered.length)]
    const content = Buffer.allocUnsafeSlow(this.#bytesInAll(ordered))
    const blocks: Layout['blocks'][number][] = []
    let start = 0
    let at = sealBytes
    let first: Buffer | undefined
    const end = (): void => {
      if (first !== undefined) blocks.push({ start, end: at, first })
      start = at
      at += sealBytes
      first = undefined
    }
    for (const term of ordered) {
      if (isFull(at - start - sealBytes, this.#bytesOf(term))) end()
      const [from, to] = [this.#terms.startOf(term), this.#terms.startOf(term + 1)]
      first ??= this.#terms.content.subarray(from, to)
      for (const number of this.#headOf(term)) at = writeNumber(content, at, number)
      at += this.#terms.content.copy(content, at, from, to)
      const surfaceStart = this.#surfaceStart.values[term]!
      const surface = this.#pages[this.#surfacePage.values[term]!]!
      const surfaceEnd = surfaceStart + this.#surfaceBytes.values[term]!
      for (let byte = surfaceStart; byte < surfaceEnd; byte++) content[at++] = surface[byte]!
      documentsAt[term] = at
      at += this.#documentBytes.values[term]!
      placesAt[term] = at
      at += this.#placeBytes.values[term]!
    }
    end()
    return { content, blocks, documentsAt, placesAt }
  }

  #headOf(term: number): number[] {
    const bytes = this.#terms.startOf(term + 1) - this.#terms.startOf(term)
    const [count, next] = [this.#counts.values[term]!, this.#last.values[term]!]
    const lengths = [this.#documentBytes.values[term]!, this.#placeBytes.values[term]!]
    return [bytes, this.#surfaceBytes.values[term]!, count, next - 1, ...lengths]
  }

  /** With its postings. */
  #bytesOf(term: number): number {
    const head = this.#headOf(term)
    const [name, surface, , , documents, places] = head as [number, number, number, number, number, number]
    let bytes = name + surface + documents + places
    for (const number of head) bytes += bytesOfNumber(number)
    return bytes
  }

  /** Or a little more. */
  #bytesInAll(terms: Uint32Array): number {
    let bytes = 0
    for (const term of terms) bytes += this.#bytesOf(term)
    // All blocks but the last are full.
    return bytes + sealBytes * Math.ceil(2 + bytes / enoughBytes)
  }

  /** In the order of their bytes. */
  #inOrder(): Uint32Array {
    const names = Array.from({ length: this.#terms.count }, (_, term) => this.#terms.text(term, 'latin1'))
    const order = Uint32Array.from(names, (_, term) => term)
    return order.sort((one, other) => (names[one]! < names[other]! ? -1 : 1))
  }
}

interface Layout {
  readonly content: Buffer
  readonly blocks: readonly { readonly start: number; readonly end: number; readonly first: Buffer }[]
  /** Of each term, where its next posting goes. */
  readonly documentsAt: Float64Array
  readonly placesAt: Float64Array
}
