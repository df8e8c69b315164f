// Reads single records of volumes by their location, small ones in one piece and large ones as a stream.

import { crc32 } from 'node:zlib'
import type { FieldList } from '../../formats/http/field-list.ts'
import { httpHeadBytesMax } from '../../formats/http/http-message.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { PayloadDecoder } from '../../formats/warc/payload.ts'
import { readWarc, type WarcItem } from '../../formats/warc/reading/reader.ts'
import {
  type DecodedRecord,
  decodeRecord,
  readUnpacked,
  type UnpackedRecord,
  unpackRecord,
} from '../../formats/warc/reading/record-decoding.ts'
import type { WarcBlock } from '../../formats/warc/record.ts'
import { provingHeadBytes, type WantedPayload, writeProvingHead } from '../contents/payload-proof.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { Location } from '../index/location.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'
import type { VolumeDictionaries } from '../volumes/volume-dictionaries.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'

/** Stored records up to this long are read in one piece. */
const wholeBytesMax = 256 * 1024
/** Those up to this long at once, if that can be done. */
const smallBytesMax = 64 * 1024

/** A record with at least the start of its block. */
export interface RecordStart {
  fields: FieldList
  block: Uint8Array
  /** Whether the block is all of it. */
  isWhole: boolean
}

export class RecordReader {
  readonly #files: VolumeFiles
  readonly #dictionaries: VolumeDictionaries
  /** For stored bytes that nobody needs any more when they are unpacked. */
  readonly #memory = Buffer.allocUnsafeSlow(smallBytesMax)

  constructor(needs: { files: VolumeFiles; dictionaries: VolumeDictionaries }) {
    this.#files = needs.files
    this.#dictionaries = needs.dictionaries
  }

  /** Throws WarcDamage with the record's place in its volume. */
  async whole(location: Location): Promise<DecodedRecord> {
    return readUnpackedAt(location, await this.unpacked(location))
  }

  /** For whoever can tell without its head that a record is the right one. Throws WarcDamage as `whole` does. */
  async unpacked(location: Location): Promise<UnpackedRecord> {
    const dictionary = await this.#dictionaries.of(location.volume)
    return unpackedAt(location, await this.#files.read(location), dictionary)
  }

  /** The same without waiting, for most of what is read can be had so. undefined when it cannot, or is damaged: then ask
   * `unpacked`. */
  unpackedAtOnce(location: Location): UnpackedRecord | undefined {
    const known = this.#dictionaries.known(location.volume)
    if (known === undefined || location.length > this.#memory.length) return undefined
    const bytes = this.#files.readAtOnce(location, this.#memory.subarray(0, location.length))
    if (bytes === undefined) return undefined
    try {
      return ofItsOwn(unpackedAt(location, bytes, known.dictionary), this.#memory)
    } catch (error) {
      if (error instanceof WarcDamage) return undefined
      throw error
    }
  }

  /** Puts a record as it is stored into memory that another thread sees, behind what that must know of its payload. undefined when
   * it does not fit, cannot be had at once, or has a dictionary that the other lacks. */
  fillAtOnce(
    location: Location,
    wanted: Omit<WantedPayload, 'hasDictionary'>,
    memory: Buffer,
  ): number | undefined {
    const known = this.#dictionaries.known(location.volume)
    const length = provingHeadBytes + location.length
    const hasDictionary = known?.dictionary !== undefined
    if (known === undefined || length > memory.length) return undefined
    if (hasDictionary && known.dictionary !== recordDictionary) return undefined
    writeProvingHead(memory, { ...wanted, hasDictionary })
    const read = this.#files.readAtOnce(location, memory.subarray(provingHeadBytes, length))
    return read && length
  }

  /** The start of a capture's main record, after all its records were found to be what was written: the head of an
   * answer has no digest that could be checked without the rest. */
  async startOfCapture(entry: CaptureEntry): Promise<RecordStart> {
    const { location, checksum } = entry
    const all = { ...location, length: location.length + entry.companionBytes }
    if (all.length > wholeBytesMax) {
      if (checksum !== undefined && (await this.checksum(all)) !== checksum) throw rotten(location)
      return this.start(location)
    }
    const bytes = await this.#files.read(all)
    if (checksum !== undefined && crc32(bytes) !== checksum) throw rotten(location)
    const dictionary = await this.#dictionaries.of(location.volume)
    return { ...decodedAt(location, bytes.subarray(0, location.length), dictionary), isWhole: true }
  }

  /** CRC-32 of the stored bytes there. */
  async checksum(location: Location): Promise<number> {
    let checksum = 0
    for await (const chunk of this.#files.stream(location)) checksum = crc32(chunk, checksum)
    return checksum
  }

  /** The fields of a record and at least the start of its block, with the whole HTTP head in it. */
  async start(location: Location): Promise<RecordStart> {
    if (location.length <= wholeBytesMax) return { ...(await this.whole(location)), isWhole: true }
    const items = this.items(location)
    try {
      const { value: item } = await items.next()
      if (item?.kind !== 'record') throw item?.error ?? recordMissing()
      return { fields: item.record.fields, block: await startOf(item.record.block), isWhole: false }
    } catch (error) {
      throw error instanceof WarcDamage ? error.at(location.offset) : error
    } finally {
      await items.return(undefined)
    }
  }

  /** The payload of a record of any length. */
  async *payload(location: Location): AsyncGenerator<Uint8Array> {
    const items = this.items(location)
    try {
      const { value: item } = await items.next()
      if (item?.kind !== 'record') throw item?.error ?? recordMissing()
      const { record } = item
      const decoder = new PayloadDecoder(record)
      const chunks = record.block instanceof Uint8Array ? [record.block] : record.block
      for await (const chunk of chunks) yield* decoder.push(chunk).payload
      yield* decoder.end().payload
    } catch (error) {
      throw error instanceof WarcDamage ? error.at(location.offset) : error
    } finally {
      await items.return(undefined)
    }
  }

  /** The record at the start of bytes that are stored in that volume. Damage has offset 0. */
  async decode(volume: number, bytes: Uint8Array, recordBytesMax?: number): Promise<DecodedRecord> {
    return decodeRecord(bytes, { dictionary: await this.#dictionaries.of(volume), recordBytesMax })
  }

  /** The records of a stretch, of any length. Damage has offsets within it. */
  async *items(location: Location): AsyncGenerator<WarcItem> {
    const dictionary = await this.#dictionaries.of(location.volume)
    yield* readWarc(this.#files.stream(location), { dictionary })
  }
}

async function startOf(block: WarcBlock): Promise<Uint8Array> {
  if (block instanceof Uint8Array) return block
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of block) {
    parts.push(chunk)
    length += chunk.length
    if (length > httpHeadBytesMax) break
  }
  return Buffer.concat(parts)
}

function decodedAt(location: Location, bytes: Uint8Array, dictionary: Uint8Array | undefined): DecodedRecord {
  return readUnpackedAt(location, unpackedAt(location, bytes, dictionary))
}

function unpackedAt(
  location: Location,
  bytes: Uint8Array,
  dictionary: Uint8Array | undefined,
): UnpackedRecord {
  return placed(location, () => unpackRecord(bytes, { dictionary }))
}

/** Throws WarcDamage with the place of the record, also when it is not as long as what was written. */
export function readUnpackedAt(location: Location, unpacked: UnpackedRecord): DecodedRecord {
  return placed(location, () => {
    const record = readUnpacked(unpacked)
    if (record.length === location.length) return record
    const message = `the record has ${record.length} bytes, not the ${location.length} that were written`
    throw new WarcDamage('warc-truncated-block', 0, message)
  })
}

function placed<T>({ offset }: Location, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof WarcDamage ? error.at(offset) : error
  }
}

/** What was not compressed is still in memory that will be used again. */
function ofItsOwn(unpacked: UnpackedRecord, memory: Buffer): UnpackedRecord {
  if (unpacked.bytes.buffer !== memory.buffer) return unpacked
  return { ...unpacked, bytes: Buffer.from(unpacked.bytes) }
}

function rotten({ offset }: Location): WarcDamage {
  return new WarcDamage('warc-bad-checksum', offset, 'the stored bytes are not those that were written')
}

function recordMissing(): WarcDamage {
  return new WarcDamage('warc-not-a-record', 0, 'the volume ends before this record')
}
