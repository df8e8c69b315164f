// Reads a WARC file of any make, record by record, from chunks of bytes.
//
// Plain, gzip and zstd, a member per record or many records in one, padding and garbage in between: what starts at
// each place decides how it is read. Damage is an item of its own, and reading goes on at the next record.
// Invariants: never throws for what the bytes hold, only for what the chunks' source throws; items come in file
// order; memory is bounded by the options, whatever the file claims; every byte is looked at a bounded number of
// times.

import { bufferView } from '../../wire/buffer-view.ts'
import { openMember } from '../compression/member.ts'
import { skipFrame } from '../compression/skippable-frame.ts'
import { zstdMagicAt } from '../compression/zstd-frame.ts'
import { WarcDamage, type WarcDamageCode, type WarcWarning } from '../damage.ts'
import { checkDigests, DigestCheck, digestDamage } from '../digest-check.ts'
import type { WarcBlock, WarcRecord } from '../record.ts'
import type { WarcHead } from '../record-head.ts'
import { ByteSource } from './byte-source.ts'
import { FlowingBlock } from './flowing-block.ts'
import { skipPadding, takeRecordEnd } from './padding.ts'
import { type RecordGrammar, warcGrammar } from './record-grammar.ts'
import { type Layout, layoutAt, resync } from './resync.ts'

export interface RecordItem {
  kind: 'record'
  record: WarcRecord<WarcBlock>
  /** Of the record in the file or, if compressed, of the member that holds it. */
  offset: number
  /** Bytes in the file. Of a streamed block known once it is read to its end; of a record that shares its member with
   * others never. */
  length: number | undefined
  /** Of the record in the decompressed member: above 0 when it shares its member with records before it. */
  offsetInMember: number
  /** Of a streamed block complete once it is read to its end. */
  warnings: readonly WarcWarning[]
}

export interface DamageItem {
  kind: 'damage'
  error: WarcDamage
  /** Where reading goes on. */
  skippedTo: number
}

export type WarcItem = RecordItem | DamageItem

export interface ReadOptions {
  /** Blocks up to this size come in one piece, larger ones flow. More memory, fewer streams. */
  blockBytesBuffered?: number | undefined
  /** Check digests: of a record in one piece a mismatch is damage in its place; a streamed block throws it at its end. */
  verify?: boolean | undefined
  /** Many zero bytes between records are damage: what lay there is lost. A few are padding. */
  tellsHoles?: boolean | undefined
  /** Of the file's zstd frames, when reading starts behind the dictionary, or should that be damaged. */
  dictionary?: Uint8Array | undefined
}

/** A block of a disk. Tools pad with less. */
const holeBytesMin = 512

export const blockBytesBufferedDefault = 1024 * 1024

/** The items of a file. A streamed block must be read before the next item is asked for; what is not read is skipped.
 * Damage within a streamed block is thrown to whoever reads it, and is an item as well. */
export function readWarc(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<WarcItem> {
  return new ArchiveReader(chunks, warcGrammar, options).items()
}

/** Reads a file of records in one grammar. */
export class ArchiveReader {
  readonly #source: ByteSource
  readonly #grammar: RecordGrammar
  readonly #verify: boolean
  readonly #tellsHoles: boolean
  readonly #blockBytesBuffered: number
  #layout: Layout | undefined
  #dictionary: Buffer | undefined

  constructor(chunks: AsyncIterable<Uint8Array>, grammar: RecordGrammar, options: ReadOptions) {
    this.#source = new ByteSource(chunks)
    this.#grammar = grammar
    this.#verify = options.verify ?? false
    this.#tellsHoles = options.tellsHoles ?? false
    this.#blockBytesBuffered = options.blockBytesBuffered ?? blockBytesBufferedDefault
    this.#dictionary = options.dictionary && bufferView(options.dictionary)
  }

  async *items(): AsyncGenerator<WarcItem> {
    try {
      for (;;) {
        const start = this.#source.position
        let zeros = 0
        const hasMore = await skipPadding(this.#source, (count) => {
          zeros += count
        })
        if (this.#tellsHoles && zeros >= holeBytesMin) yield hole(zeros, start, this.#source.position)
        if (!hasMore) return
        yield* this.#next()
      }
    } finally {
      await this.#source.close()
    }
  }

  async *#next(): AsyncGenerator<WarcItem> {
    const source = this.#source
    const start = source.position
    await source.fill(this.#grammar.peekBytes)
    const layout = layoutAt(source.window, this.#grammar)
    // A guess, until something of it has been read.
    this.#layout ??= layout
    try {
      if (layout === 'plain') yield* this.#record(source, start)
      else if (layout === undefined) throw unknownBytes(source.window)
      else if (layout === 'gzip' || zstdMagicAt(source.window) === 'frame') yield* this.#member(layout)
      else this.#dictionary = (await skipFrame(source)) ?? this.#dictionary
      this.#layout = layout
    } catch (error) {
      if (!this.#isOurs(error)) throw error
      await this.#moveOn(start, error)
      yield { kind: 'damage', error: error.at(start), skippedTo: source.position }
    }
  }

  /** The records of one member. */
  async *#member(layout: 'gzip' | 'zstd'): AsyncGenerator<WarcItem> {
    const source = this.#source
    const start = source.position
    const member = await openMember(source, layout, this.#blockBytesBuffered, this.#dictionary)
    if (member.kind === 'whole') {
      const item = this.#soleRecord(member.bytes, start, member.length)
      source.consume(member.length)
      if (item !== undefined) {
        yield item
        return
      }
    }
    const inner = new ByteSource(member.kind === 'whole' ? single(member.bytes) : member.chunks)
    try {
      yield* this.#records(inner, start)
    } finally {
      await inner.close()
    }
  }

  /** The one record that a member usually holds; undefined when there is anything else to it. */
  #soleRecord(bytes: Buffer, offset: number, length: number): WarcItem | undefined {
    const sole = this.#grammar.parseSole(bytes)
    if (sole === undefined || sole.record.block.length > this.#blockBytesBuffered) return undefined
    return this.#judged({ kind: 'record', ...sole, offset, length, offsetInMember: 0 }, offset + length)
  }

  /** The records within a member, damaged ones passed over. Damage to the member itself is thrown. */
  async *#records(inner: ByteSource, offset: number): AsyncGenerator<WarcItem> {
    while (await skipPadding(inner)) {
      const start = inner.position
      try {
        await inner.fill(this.#grammar.peekBytes)
        if (!this.#grammar.startsRecord(inner.window)) throw unknownBytes(inner.window)
        yield* this.#record(inner, offset)
      } catch (error) {
        if (!this.#isOurs(error) || inner.failed) throw error
        if (error.code !== 'warc-digest-mismatch') {
          if (inner.position === start) inner.stepOver(triedBytes(error, inner))
          await resync(inner, this.#grammar, ['plain'])
        }
        yield { kind: 'damage', error: error.at(offset), skippedTo: this.#source.position }
      }
    }
  }

  /** One record, from its first byte. `offset`: of the record or, if it is in a member, of that. */
  async *#record(source: ByteSource, offset: number): AsyncGenerator<WarcItem> {
    const start = source.position
    const plain = await this.#grammar.read(source, this.#blockBytesBuffered)
    if (plain.kind === 'head') {
      yield* this.#streamedRecord(source, offset, start, plain.head)
      return
    }
    const isInMember = source !== this.#source
    const isAlone = !isInMember || (start === 0 && !(await skipPadding(source)))
    const length = isAlone ? this.#source.position - offset : undefined
    const offsetInMember = isInMember ? start : 0
    const { record, warnings } = plain
    yield this.#judged(
      { kind: 'record', record, offset, length, offsetInMember, warnings },
      this.#source.position,
    )
  }

  async *#streamedRecord(
    source: ByteSource,
    offset: number,
    start: number,
    head: WarcHead,
  ): AsyncGenerator<WarcItem> {
    const { version, fields, warnings } = head
    const isInMember = source !== this.#source
    const check = this.#verify ? new DigestCheck(head) : undefined
    const end = async () => {
      if ((await takeRecordEnd(source)) < this.#grammar.endLength) warnings.push('missing-record-end')
      // Reading on to the end of the member is what tells its length, and whether it is sound.
      if (!isInMember || (start === 0 && !(await skipPadding(source))))
        item.length = this.#source.position - offset
      const error = check && digestDamage(check.finish(), offset)
      if (error !== undefined) throw error
    }
    const update = (chunk: Uint8Array) => check?.update(chunk)
    const place = (error: unknown) => (this.#isOurs(error) ? error.at(offset) : error)
    const block = new FlowingBlock(source, head.blockLength, { place, update, end })
    const record = { version, fields, block }
    const offsetInMember = isInMember ? start : 0
    const item: RecordItem = { kind: 'record', record, offset, length: undefined, offsetInMember, warnings }
    yield item
    await block.finish()
  }

  #judged(item: RecordItem, skippedTo: number): WarcItem {
    if (!this.#verify) return item
    const error = digestDamage(checkDigests(item.record as WarcRecord), item.offset)
    return error === undefined ? item : { kind: 'damage', error, skippedTo }
  }

  /** Whether an error is damage of this file: its chunks may come out of another archive, with damage of its own. */
  #isOurs(error: unknown): error is WarcDamage {
    return error instanceof WarcDamage && !this.#source.failed
  }

  /** To the next place where a record may start. */
  async #moveOn(start: number, error: WarcDamage): Promise<void> {
    const source = this.#source
    if (error.code === 'warc-digest-mismatch') return
    if (source.position === start) {
      if (error.extent !== undefined && (await this.#startsAt(error.extent))) {
        source.consume(error.extent)
        return
      }
      source.stepOver(triedBytes(error, source))
    }
    const layouts: Layout[] = this.#layout === undefined ? ['plain', 'gzip', 'zstd'] : [this.#layout]
    await resync(source, this.#grammar, layouts, this.#dictionary)
  }

  /** Whether the file ends, or something that we know starts, at this distance. */
  async #startsAt(distance: number): Promise<boolean> {
    const source = this.#source
    if (!(await source.fill(distance + this.#grammar.peekBytes)) && source.window.length <= distance)
      return true
    return layoutAt(source.window.subarray(distance), this.#grammar) !== undefined
  }
}

/** How many bytes were looked at before a record was found damaged. A head that is wrong has no other record in it: the
 * next place to try lies behind all that was read of it. */
function triedBytes(error: WarcDamage, source: ByteSource): number {
  return headCodes.includes(error.code) ? 1 : source.window.length
}

const headCodes: readonly WarcDamageCode[] = [
  'warc-not-a-record',
  'warc-bad-version',
  'warc-bad-head-line',
  'warc-missing-field',
]

function hole(zeros: number, offset: number, skippedTo: number): DamageItem {
  const error = new WarcDamage('warc-hole', offset, `${zeros} zero bytes where records should be`)
  return { kind: 'damage', error, skippedTo }
}

function unknownBytes(window: Buffer): WarcDamage {
  const start = JSON.stringify(window.toString('latin1', 0, 5))
  return new WarcDamage(
    'warc-not-a-record',
    0,
    `neither a record nor a compressed one starts here but ${start}`,
  )
}

async function* single(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
