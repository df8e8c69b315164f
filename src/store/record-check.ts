// Checks one capture or content against what the index says of it, byte by byte.
//
// A checksum of the stored bytes covers everything: fields that no digest speaks of, requests and metadata, the bits that
// compression does not use. Then the records are read as any reader would, and must be the ones that the index means.

import { crc32 } from 'node:zlib'
import { equalDigests } from '../record/digest.ts'
import { WarcDamage } from '../record/warc/damage.ts'
import { checkDigests } from '../record/warc/digest-check.ts'
import { recordIdOf, targetUriOf } from '../record/warc/record.ts'
import { type DecodedRecord, decodeRecord } from '../record/warc/record-decoding.ts'
import { DiskError } from '../world/disk.ts'
import { printUuid } from './capture.ts'
import type { ContentKey } from './content-key.ts'
import type { ContentReading } from './content-reading.ts'
import type { CaptureEntry } from './index/capture-entry.ts'
import type { ContentEntry } from './index/content-entry.ts'
import type { Location } from './index/location.ts'
import type { RecordReading } from './record-reading.ts'
import { payloadDigestIn } from './revisited.ts'
import { StoreError } from './store-error.ts'
import type { VolumeFiles } from './volumes/volume-files.ts'

/** Longer ones are not read as records here: their checksum, and the digest of their content, must do. */
const wholeBytesMax = 8 * 1024 * 1024
/** A warcinfo record is shorter. */
const headBytesMax = 4_096

export class RecordCheck {
  readonly #files: VolumeFiles
  readonly #records: RecordReading
  readonly #reading: ContentReading

  constructor(needs: { files: VolumeFiles; records: RecordReading; reading: ContentReading }) {
    this.#files = needs.files
    this.#records = needs.records
    this.#reading = needs.reading
  }

  /** Why the capture's records are not what was written; undefined when they are. */
  capture(entry: CaptureEntry): Promise<string | undefined> {
    return faultOf(async () => {
      const { location, checksum } = entry
      const all = { ...location, length: location.length + entry.companionBytes }
      if (all.length > wholeBytesMax) return this.#checkLong(all, checksum)
      const bytes = await this.#checked(all, checksum)
      const [main, ...others] = recordsIn(bytes)
      for (const record of [main!, ...others]) checkBlock(record)
      checkIdentity(main!, entry)
      if (main!.length !== location.length) throw new Fault('the record has another length than was written')
    })
  }

  /** Why the content's bytes are wrong; undefined when they are right. */
  content(key: ContentKey, entry: ContentEntry): Promise<string | undefined> {
    return faultOf(async () => {
      if (entry.checksum !== undefined) await this.#checkLong(entry.location, entry.checksum)
      await this.#reading.check(key, entry)
    })
  }

  /** The warcinfo record at the start of a volume, and how long it is. */
  async head(
    volume: number,
    warcinfoId: string,
    checksum: number | undefined,
  ): Promise<{ fault: string | undefined; length: number }> {
    let length = 0
    const fault = await faultOf(async () => {
      const bytes = await this.#files.read({ volume, offset: 0, length: headBytesMax })
      const record = decodeRecord(bytes)
      if (checksum !== undefined && crc32(bytes.subarray(0, record.length)) !== checksum)
        throw new Fault(checksumFault)
      checkBlock(record)
      if (recordIdOf(record) !== `<urn:uuid:${warcinfoId}>`)
        throw new Fault('it is the head of another volume')
      length = record.length
    })
    return { fault, length }
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
    return error.message
  }
}

function recordsIn(bytes: Buffer): DecodedRecord[] {
  const records: DecodedRecord[] = []
  for (let position = 0; position < bytes.length; ) {
    const record = decodeRecord(bytes.subarray(position))
    if (record.warnings.includes('missing-record-end')) throw new Fault('a record does not end as it should')
    records.push(record)
    position += record.length
  }
  return records
}

/** The payload's digest is for whoever reads the content, which may lie elsewhere. */
function checkBlock(record: DecodedRecord): void {
  if (checkDigests(record).block === 'mismatch')
    throw new Fault('a block has another digest than was written')
}

function checkIdentity(record: DecodedRecord, { recordId, url, content }: CaptureEntry): void {
  if (recordIdOf(record) !== `<urn:uuid:${printUuid(recordId)}>`) throw new Fault('another record lies there')
  if (targetUriOf(record) !== url) throw new Fault('the record is of another URL')
  const digest = payloadDigestIn(record)
  // Of an imported revisit it may be in another algorithm.
  if (content && digest?.algorithm === 'sha256' && !equalDigests(digest, content.digest))
    throw new Fault('the record speaks of another payload')
}
