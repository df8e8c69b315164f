// Checks one capture or content against what the index says of it, byte by byte.
//
// A checksum of the stored bytes covers everything: fields that no digest speaks of, requests and metadata, the bits that
// compression does not use. Then the records are read as any reader would, and must be the ones that the index means.

import { crc32 } from 'node:zlib'
import { fetchedUrl } from '../../formats/http/request-query.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { checkDigests } from '../../formats/warc/digest-check.ts'
import type { DecodedRecord } from '../../formats/warc/reading/record-decoding.ts'
import { dateOf, recordIdOf } from '../../formats/warc/record.ts'
import { equalDigests } from '../../model/digest.ts'
import { parseWarcDate } from '../../model/timestamp.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import { printUuid } from '../../model/uuid.ts'
import { DiskError } from '../../platform/storage/disk.ts'
import type { ContentKey } from '../contents/content-key.ts'
import type { ContentLoader } from '../contents/content-loader.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import { captureKey, parseCaptureKey, urlPrefix } from '../index/capture-key.ts'
import type { ContentEntry } from '../index/content-entry.ts'
import type { Location } from '../index/location.ts'
import type { VolumeEntry } from '../index/volume-entry.ts'
import { StoreError } from '../store-error.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'
import { readVolumeHead, warcinfoIdOf } from '../volumes/volume-head.ts'
import type { RecordReader } from './record-reader.ts'
import { filedUrl } from './request-mark.ts'
import { payloadDigestIn } from './revisited.ts'

/** Longer ones are not read as records here: their checksum, and the digest of their content, must do. */
const wholeBytesMax = 8 * 1024 * 1024

export class RecordCheck {
  readonly #files: VolumeFiles
  readonly #records: RecordReader
  readonly #loader: ContentLoader

  constructor(needs: { files: VolumeFiles; records: RecordReader; loader: ContentLoader }) {
    this.#files = needs.files
    this.#records = needs.records
    this.#loader = needs.loader
  }

  /** Why the capture's records are not what was written; undefined when they are. */
  capture(key: Uint8Array, entry: CaptureEntry): Promise<string | undefined> {
    return faultOf(async () => {
      const { location, checksum } = entry
      const all = { ...location, length: location.length + entry.companionBytes }
      if (all.length > wholeBytesMax) return this.#checkLong(all, checksum)
      const bytes = await this.#checked(all, checksum)
      const [main, ...others] = await this.#recordsIn(location.volume, bytes)
      for (const record of [main!, ...others]) checkBlock(record)
      checkIdentity(main!, entry)
      checkPlace(main!, key, entry)
      if (main!.length !== location.length) throw new Fault('the record has another length than was written')
    })
  }

  /** Why the content's bytes are wrong; undefined when they are right. */
  content(key: ContentKey, entry: ContentEntry): Promise<string | undefined> {
    return faultOf(async () => {
      if (entry.checksum !== undefined) await this.#checkLong(entry.location, entry.checksum)
      await this.#loader.check(key, entry)
    })
  }

  /** The head of a volume, and how long it is: 0 when that cannot be told. */
  async head(
    volume: number,
    { warcinfoId, headBytes, headChecksum }: VolumeEntry,
  ): Promise<{ fault: string | undefined; length: number }> {
    let length = headBytes ?? 0
    const fault = await faultOf(async () => {
      const read = (offset: number, length: number) => this.#files.read({ volume, offset, length })
      if (headBytes !== undefined) await this.#checked({ volume, offset: 0, length: headBytes }, headChecksum)
      const head = await readVolumeHead(read)
      if (headBytes === undefined)
        await this.#checked({ volume, offset: 0, length: head.length }, headChecksum)
      checkBlock(head.warcinfo)
      if (warcinfoIdOf(head.warcinfo) !== warcinfoId) throw new Fault('it is the head of another volume')
      length = head.length
    })
    return { fault, length }
  }

  async #recordsIn(volume: number, bytes: Buffer): Promise<DecodedRecord[]> {
    const records: DecodedRecord[] = []
    for (let position = 0; position < bytes.length; ) {
      const record = await this.#records.decode(volume, bytes.subarray(position))
      if (record.warnings.includes('missing-record-end'))
        throw new Fault('a record does not end as it should')
      records.push(record)
      position += record.length
    }
    return records
  }

  async #checked(location: Location, checksum: number | undefined): Promise<Buffer> {
    const bytes = await this.#files.read(location)
    if (bytes.length < location.length) throw new Fault('the volume has lost its end')
    if (checksum !== undefined && crc32(bytes) !== checksum) throw new Fault(checksumFault)
    return bytes
  }

  async #checkLong(location: Location, checksum: number | undefined): Promise<void> {
    if (checksum !== undefined && (await this.#records.checksum(location)) !== checksum)
      throw new Fault(checksumFault)
  }
}

const checksumFault = 'the stored bytes are not those that were written'

class Fault extends Error {}

async function faultOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await check()
    return undefined
  } catch (error) {
    const isExpected =
      error instanceof Fault ||
      error instanceof WarcDamage ||
      error instanceof DiskError ||
      error instanceof StoreError
    if (!isExpected) throw error
    // That it cannot be asked says nothing about its bytes.
    if (error instanceof StoreError && error.code === 'store-bucket-unavailable') throw error
    return error.message
  }
}

/** The payload's digest is for whoever reads the content, which may lie elsewhere. */
function checkBlock(record: DecodedRecord): void {
  if (checkDigests(record).block === 'mismatch')
    throw new Fault('a block has another digest than was written')
}

/** Under another key nobody would find it. */
function checkPlace(record: DecodedRecord, key: Uint8Array, entry: CaptureEntry): void {
  const url = tryParseUrl(entry.url)
  const capturedAtMs = parseWarcDate(dateOf(record) ?? '')
  const { serial } = parseCaptureKey(key)
  const expected = url && captureKey(urlPrefix(url.ringKey, url.surt), capturedAtMs, serial)
  if (expected !== null && Buffer.compare(key, expected) !== 0)
    throw new Fault('the index has it under another URL or time')
}

function checkIdentity(record: DecodedRecord, { recordId, url, content }: CaptureEntry): void {
  if (recordIdOf(record) !== `<urn:uuid:${printUuid(recordId)}>`) throw new Fault('another record lies there')
  const filed = filedUrl(record)?.href
  // What earlier versions filed as a GET is not marked, wherever it is filed now.
  if (filed !== url && filed !== fetchedUrl(url)) throw new Fault('the record is of another URL')
  const digest = payloadDigestIn(record)
  // Of an imported revisit it may be in another algorithm.
  if (content && digest?.algorithm === 'sha256' && !equalDigests(digest, content.digest))
    throw new Fault('the record speaks of another payload')
}
