// Merging: neighbouring segments become one, so that a query looks into few. Dead documents are left out of it.
//
// Which ones: the newest eight of about the same size. So each document is written once for each power of eight.

import type { Table } from '../../platform/storage/key-value.ts'
import { Columns, isAliveFlag } from './columns.ts'
import { PlaceReader, PostingWriter, pushNumber, readNumber } from './posting-list.ts'
import type { Segment } from './segment.ts'
import {
  type CodedPostings,
  type CodedTerm,
  orderOf,
  postingsOf,
  TermBlockWriter,
  termsFrom,
} from './term-blocks.ts'

const mergedAtOnce = 8

/** undefined while there is none to be made. */
export function segmentsToMerge(segments: readonly Segment[]): readonly Segment[] | undefined {
  for (let end = segments.length; end >= mergedAtOnce; end--) {
    const some = segments.slice(end - mergedAtOnce, end)
    const sizes = some.map(({ columns }) => columns.count)
    if (Math.max(...sizes) <= mergedAtOnce * Math.max(1, Math.min(...sizes))) return some
  }
  return undefined
}

interface Place {
  /** Where a document of the old segment is in the new one; -1 for those that are left out. */
  readonly numbers: Int32Array
  /** Of its first, where none is left out: then its postings are copied as they are. */
  readonly base: number | undefined
}

export interface Merge {
  /** The old documents, in the order of the new ones. */
  readonly documents: readonly (readonly [segment: Segment, index: number])[]
  /** Terms are written when this is gone through: it stops now and then, for others to have their turn. */
  steps(put: (key: Uint8Array, value: Uint8Array) => void): Generator<void>
}

const termsPerStep = 500

export function beginMerge(segments: readonly Segment[], blocks: Table, number: number): Merge {
  const documents: (readonly [Segment, number])[] = []
  const places = segments.map((segment): Place => {
    const { count, flags } = segment.columns
    const numbers = new Int32Array(count).fill(-1)
    const base = documents.length
    for (let index = 0; index < count; index++) {
      if ((flags[index]! & isAliveFlag) === 0) continue
      numbers[index] = documents.length
      documents.push([segment, index])
    }
    return { numbers, base: documents.length === base + count ? base : undefined }
  })
  return {
    documents,
    *steps(put) {
      const writer = new TermBlockWriter(number, put)
      let terms = 0
      for (const group of inStep(segments.map((segment) => termsFrom(blocks, segment.number)))) {
        const joined = new JoinedPostings()
        for (const [index, coded] of group) joined.add(coded, places[index]!)
        if (joined.count > 0) writer.add(group[0]![1].term, group[0]![1].surface, joined)
        if (++terms % termsPerStep === 0) yield
      }
      writer.end()
    },
  }
}

/** As they are now: some may have changed while terms were written. */
export function columnsOfMerge({ documents }: Merge): Columns {
  return Columns.of(documents.map(([{ columns }, index]) => columns.factsOf(index)))
}

/** The postings of one term, of one segment behind the other's. */
class JoinedPostings implements CodedPostings {
  readonly documents: Uint8Array[] = []
  readonly places: Uint8Array[] = []
  count = 0
  last = -1

  add(coded: CodedTerm, place: Place): void {
    if (place.base === undefined) this.#addLiving(coded, place.numbers)
    else this.#append(coded, place.base)
  }

  /** Only the step to the first document is another one. */
  #append({ count, last, documents, places }: Omit<CodedTerm, 'term' | 'surface'>, base: number): void {
    const [first, next] = readNumber(documents, 0)
    const step: number[] = []
    pushNumber(step, base + first - this.last - 1)
    this.documents.push(Uint8Array.from(step), documents.subarray(next))
    this.places.push(places)
    this.count += count
    this.last = base + last
  }

  #addLiving(coded: CodedTerm, numbers: Int32Array): void {
    const list = postingsOf(coded)
    const reader = new PlaceReader(list)
    const living = new PostingWriter()
    for (const [index, document] of list.documents.entries()) {
      const number = numbers[document]!
      if (number === -1) continue
      living.add(number, list.weights[index]!)
      living.copyPlaces(reader.bytesOf(index))
    }
    const { count, last, documents, places } = living
    if (count === 0) return
    this.#append({ count, last, documents: Uint8Array.from(documents), places: Uint8Array.from(places) }, 0)
  }
}

/** The same term of several segments together, in the order of terms. */
function* inStep(sources: readonly Generator<CodedTerm>[]): Generator<(readonly [number, CodedTerm])[]> {
  const heads = sources.map((source) => nextOf(source))
  for (;;) {
    let least: string | undefined
    for (const head of heads)
      if (head !== undefined && (least === undefined || head.order < least)) least = head.order
    if (least === undefined) return
    const group: (readonly [number, CodedTerm])[] = []
    for (const [index, head] of heads.entries()) {
      if (head?.order !== least) continue
      group.push([index, head.coded])
      heads[index] = nextOf(sources[index]!)
    }
    yield group
  }
}

function nextOf(source: Generator<CodedTerm>): { order: string; coded: CodedTerm } | undefined {
  const { value, done } = source.next()
  return done === true ? undefined : { order: orderOf(value.term), coded: value }
}
