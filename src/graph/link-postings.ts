// Link postings: which pages have, or had, a link to a target, by the numbers of the pages.
//
// Gathered in memory and written as runs of up to 1,024 pages: all postings of a run sorted, in pieces that are looked up by their
// first one. An entry for each link would be most of what the graph costs; so a page costs a few bytes a link, and a lookup a
// seek for each run: 10 ms or so for a million pages. Written in one transaction with the pages that they are of.
//
// Tables: `targets`, by run and first posting, the postings of a piece; `runs`, by run, the numbers of its pages.

import { MessageReader, MessageWriter, readableOr } from '../formats/wire/message-bytes.ts'
import type { Table } from '../platform/storage/key-value.ts'
import { placeBits, type TargetRange, wordsPerTarget } from './target-key.ts'

export const pagesPerRun = 2 ** placeBits
export const pageNumberMax = 2 ** 40
const placeMask = pagesPerRun - 1
const postingBytes = 8
const postingsPerPiece = 512
const runBytes = 4
const firstPostings = 16 * 1024

/** A run in memory. */
class Gathered {
  readonly pages: number[] = []
  #words = new Uint32Array(wordsPerTarget * firstPostings)
  #length = 0

  get count(): number {
    return this.#length / wordsPerTarget
  }

  add(page: number, targets: Uint32Array): void {
    const place = this.pages.push(page) - 1
    this.#reserve(targets.length)
    this.#words.set(targets, this.#length)
    for (let at = this.#length; at < this.#length + targets.length; at += wordsPerTarget)
      this.#words[at]! |= place
    this.#length += targets.length
  }

  sorted(): BigUint64Array {
    return new BigUint64Array(this.#words.buffer.slice(0, 4 * this.#length)).sort()
  }

  *pagesIn({ from, to }: TargetRange): Generator<number> {
    for (const posting of new BigUint64Array(this.#words.buffer, 0, this.count))
      if (posting >= from && posting <= to) yield this.pages[Number(posting & BigInt(placeMask))]!
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#words.length) return
    const larger = new Uint32Array(Math.max(2 * this.#words.length, this.#length + length + 2))
    larger.set(this.#words.subarray(0, this.#length))
    this.#words = larger
  }
}

export class LinkPostings {
  readonly #targets: Table
  readonly #runs: Table
  #gathered = new Gathered()
  /** On its way to the disk. */
  #writing = new Gathered()

  constructor(tables: { readonly targets: Table; readonly runs: Table }) {
    this.#targets = tables.targets
    this.#runs = tables.runs
  }

  get waitingPages(): number {
    return this.#gathered.pages.length
  }

  get waitingLinks(): number {
    return this.#gathered.count
  }

  /** At most pagesPerRun times between two runs. */
  add(page: number, targets: Uint32Array): void {
    this.#gathered.add(page, targets)
  }

  /** What was gathered so far becomes a run: its writing is to be called inside a transaction, as often as that is tried, then its
   * end. */
  beginRun(run: number): { write(): void; end(): void } {
    const gathered = this.#gathered
    this.#writing = gathered
    this.#gathered = new Gathered()
    const postings = gathered.sorted()
    const write = (): void => {
      if (postings.length === 0) return
      this.#runs.put(runKey(run), encodedPages(gathered.pages))
      for (let at = 0; at < postings.length; at += postingsPerPiece) {
        const piece = postings.subarray(at, at + postingsPerPiece)
        const bytes = new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength)
        this.#targets.put(pieceKey(run, postings[at]!), bytes)
      }
    }
    const end = (): void => {
      this.#writing = new Gathered()
    }
    return { write, end }
  }

  /** Pages that may link there. In no order; each may come more than once. */
  *pagesOf(range: TargetRange): Generator<number> {
    yield* this.#gathered.pagesIn(range)
    yield* this.#writing.pagesIn(range)
    for (const [key, value] of this.#runs.range()) {
      const run = Buffer.from(key).readUInt32BE(0)
      let pages: number[] | undefined
      for (const posting of this.#postingsIn(run, range)) {
        pages ??= readableOr(() => decodedPages(value), [])
        const page = pages[Number(posting & BigInt(placeMask))]
        if (page !== undefined) yield page
      }
    }
  }

  *#postingsIn(run: number, { from, to }: TargetRange): Generator<bigint> {
    const end = pieceKey(run, to + 1n)
    // The piece before may hold the first ones.
    const [before] = this.#targets.range({
      from: runKey(run),
      to: pieceKey(run, from),
      reverse: true,
      limit: 1,
    })
    for (const [, value] of this.#targets.range({ from: before?.[0] ?? pieceKey(run, from), to: end }))
      for (const posting of postingsOf(value)) if (posting >= from && posting <= to) yield posting
  }
}

function postingsOf(value: Uint8Array): BigUint64Array {
  return new BigUint64Array(value.slice(0, value.length - (value.length % postingBytes)).buffer)
}

function runKey(run: number): Buffer {
  const key = Buffer.alloc(runBytes)
  key.writeUInt32BE(run)
  return key
}

function pieceKey(run: number, first: bigint): Buffer {
  const key = Buffer.alloc(runBytes + postingBytes)
  key.writeUInt32BE(run)
  key.writeBigUInt64BE(first < 2n ** 64n ? first : 2n ** 64n - 1n, runBytes)
  return key
}

function encodedPages(pages: readonly number[]): Uint8Array {
  const writer = new MessageWriter().number(pages.length)
  for (const page of pages) writer.number(page)
  return writer.finish()
}

function decodedPages(value: Uint8Array): number[] {
  const reader = new MessageReader(value)
  return Array.from({ length: reader.count() }, () => reader.number(pageNumberMax))
}
