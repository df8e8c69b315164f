// One file of records: a source by itself, or one of the WARC files in a WACZ.

import {
  dictionaryBytesMax,
  skippableFrameLength,
  zstdMagicAt,
} from '../../formats/warc/compression/zstd-frame.ts'
import { readArc } from '../../formats/warc/reading/arc-reader.ts'
import { readWarc, type WarcItem } from '../../formats/warc/reading/reader.ts'
import { cutRecord, isCutOff } from './cut-record.ts'
import type { ArchiveFormat } from './format.ts'
import { chunksFrom, type RandomAccess } from './source.ts'

export interface ArchivePart {
  /** Path in its WACZ. */
  readonly name: string | undefined
  readonly format: Exclude<ArchiveFormat, 'wacz'>
  readonly sizeBytes: number
  open(offset: number): AsyncIterable<Uint8Array>
  /** What is wrong with the part as a whole, once all of it has been read. */
  check?(): string | undefined
}

export async function partOf(source: RandomAccess, format: ArchivePart['format']): Promise<ArchivePart> {
  const sizeBytes = await source.sizeBytes()
  return { name: undefined, format, sizeBytes, open: (offset) => chunksFrom(source, offset) }
}

/** The items from a place where a record or member starts. `whenRead` is told of the bytes as they are read. */
export async function* itemsFrom(
  part: ArchivePart,
  offset: number,
  whenRead: (bytes: number) => void = () => {},
): AsyncGenerator<WarcItem> {
  const dictionary = offset > 0 && part.format === 'warc' ? await dictionaryOf(part) : undefined
  const shift = offset - (dictionary?.length ?? 0)
  const chunks = joined(dictionary, part.open(offset), whenRead)
  const options = { tellsHoles: true }
  const items = part.format === 'arc' ? readArc(chunks, options) : readWarc(chunks, options)
  for await (const read of items) {
    const item = shifted(read, shift)
    yield item
    if (item.kind === 'record' || !isCutOff(item, part)) continue
    const cut = await cutRecord(
      part,
      item.error.offset,
      part.format === 'warc' ? await dictionaryOf(part) : undefined,
    )
    if (cut !== undefined) yield cut
  }
}

/** The zstd dictionary at the start of a file, which all its records need. */
async function dictionaryOf(part: ArchivePart): Promise<Uint8Array | undefined> {
  let start = Buffer.alloc(0)
  for await (const chunk of part.open(0)) {
    start = Buffer.concat([start, chunk])
    if (start.length < 8) continue
    if (zstdMagicAt(start) !== 'dictionary') return undefined
    const length = skippableFrameLength(start)!
    if (length > dictionaryBytesMax) return undefined
    if (start.length >= length) return start.subarray(0, length)
  }
  return undefined
}

async function* joined(
  first: Uint8Array | undefined,
  rest: AsyncIterable<Uint8Array>,
  whenRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  if (first !== undefined) yield first
  for await (const chunk of rest) {
    whenRead(chunk.length)
    yield chunk
  }
}

function shifted(item: WarcItem, by: number): WarcItem {
  if (by === 0) return item
  if (item.kind === 'record') return { ...item, offset: item.offset + by }
  return { ...item, error: item.error.at(item.error.offset + by), skippedTo: item.skippedTo + by }
}
