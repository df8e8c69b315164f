// The head of a volume: its warcinfo record, and before that, in a `.warc.zst` with a dictionary, the frame that holds it.
//
// All that reads a volume from its middle needs the dictionary; all that counts its bytes, or checks them, needs to know
// where its head ends.

import type { Compression } from '../../formats/warc/compression/compression.ts'
import {
  decodeDictionaryFrame,
  dictionaryBytesMax,
  encodeDictionaryFrame,
  skippableFrameLength,
  zstdMagicAt,
} from '../../formats/warc/compression/zstd-frame.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { type DecodedRecord, decodeRecord } from '../../formats/warc/reading/record-decoding.ts'
import { recordIdOf } from '../../formats/warc/record.ts'
import { warcinfo } from '../../formats/warc/record-builder.ts'
import { encodeRecord } from '../../formats/warc/record-encoding.ts'
import { printWarcDate } from '../../model/timestamp.ts'

/** A warcinfo record takes less. */
export const warcinfoBytesMax = 4_096

interface VolumeHead {
  dictionary: Buffer | undefined
  warcinfo: DecodedRecord
  /** Of all of it, as stored. */
  length: number
}

/** Bytes from a position, fewer only at the end of the file. */
export type ReadAt = (offset: number, length: number) => Promise<Buffer>

/** Makes the heads of volumes that are all compressed alike. */
export class HeadBuilder {
  readonly #software: string
  readonly #compression: Compression
  /** The same for all, and slow to make. */
  #dictionaryFrame: Buffer | undefined

  constructor(software: string, compression: Compression) {
    this.#software = software
    this.#compression = compression
  }

  make(filename: string, id: string, nowMs: number): Buffer {
    const record = warcinfo({
      id,
      date: printWarcDate(nowMs),
      filename,
      fields: [
        ['software', this.#software],
        ['format', 'WARC File Format 1.1'],
        ['conformsTo', 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/'],
      ],
    })
    const encoded = encodeRecord(record, this.#compression)
    const dictionary = dictionaryIn(this.#compression)
    if (dictionary === undefined) return encoded
    this.#dictionaryFrame ??= encodeDictionaryFrame(dictionary)
    return Buffer.concat([this.#dictionaryFrame, encoded])
  }
}

export function dictionaryIn(compression: Compression): Uint8Array | undefined {
  return compression.kind === 'zstd' ? compression.dictionary : undefined
}

/** Throws WarcDamage. */
export async function readVolumeHead(read: ReadAt): Promise<VolumeHead> {
  const { dictionary, length } = await readDictionary(read)
  try {
    const warcinfo = decodeRecord(await read(length, warcinfoBytesMax), { dictionary })
    return { dictionary, warcinfo, length: length + warcinfo.length }
  } catch (error) {
    throw error instanceof WarcDamage ? error.at(length) : error
  }
}

/** The dictionary at the start of a volume, and how long its frame is: 0 when there is none. Throws WarcDamage. */
export async function readDictionary(
  read: ReadAt,
): Promise<{ dictionary: Buffer | undefined; length: number }> {
  const start = await read(0, 8)
  if (zstdMagicAt(start) !== 'dictionary') return { dictionary: undefined, length: 0 }
  const length = skippableFrameLength(start) ?? Number.POSITIVE_INFINITY
  if (length > dictionaryBytesMax) {
    throw new WarcDamage('warc-bad-dictionary', 0, `dictionary of ${length} bytes is too large`)
  }
  const frame = await read(0, length)
  if (frame.length < length) {
    throw new WarcDamage('warc-truncated-member', 0, 'the file ends within its dictionary')
  }
  return { dictionary: decodeDictionaryFrame(frame), length }
}

export function warcinfoIdOf(warcinfo: Pick<DecodedRecord, 'fields'>): string {
  return (recordIdOf(warcinfo) ?? '').replace(/^<urn:uuid:|>$/g, '')
}
