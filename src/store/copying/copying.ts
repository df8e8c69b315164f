// Captures on their way from one store to another: replicas give them to each other, and take them.
//
// A capture goes as its records are stored, compressed once by whoever captured it; only what the taker cannot resolve (a
// revisit of a payload that it lacks, a delta on a version that it lacks) goes whole, when it says so. What goes is a stretch of a
// WARC file, so nothing but the records themselves is believed: every payload must have its digest, or nothing is kept.
// Taking the same capture again does nothing.

import { crc32 } from 'node:zlib'
import type { Digest } from '../../record/digest.ts'
import { WarcDamage } from '../../record/warc/damage.ts'
import { looksLikeGzip } from '../../record/warc/gzip-member.ts'
import { readWarc } from '../../record/warc/reader.ts'
import { typeOf } from '../../record/warc/record.ts'
import { decodeRecord } from '../../record/warc/record-decoding.ts'
import { type ContentDigest, sha256Digest } from '../content-digest.ts'
import type { ContentMatching } from '../content-matching.ts'
import { payloadElsewhere } from '../elsewhere/elsewhere-mark.ts'
import type { RecordExport } from '../export/record-export.ts'
import type { Finding } from '../finding.ts'
import { isDelta } from '../import/delta-undoing.ts'
import { isCompanion, type RecordGroup } from '../import/pairing.ts'
import { type ReadRecord, readRecord } from '../import/read-record.ts'
import type { RecordTaking } from '../import/record-taking.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { RecordMaking } from '../record-making.ts'
import type { RecordReading } from '../record-reading.ts'
import { payloadDigestIn } from '../revisited.ts'
import type { Spool } from '../spool.ts'
import { StoreError } from '../store-error.ts'
import { recordDictionary } from '../volumes/record-dictionary.ts'
import type { VolumeDictionaries } from '../volumes/volume-dictionaries.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'

/** A capture's records, the main one first. */
export type CaptureCopy = Uint8Array | AsyncIterable<Uint8Array>

/** `lacking`: it must come whole. */
export type TakeOutcome = 'kept' | 'known' | 'lacking' | 'taken-down'

interface Needs {
  finding: Finding
  files: VolumeFiles
  records: RecordReading
  dictionaries: VolumeDictionaries
  exporting: RecordExport
  making: RecordMaking
  matching: ContentMatching
  taking: RecordTaking
  spool: Spool
  digest: ContentDigest
}

/** Up to this many bytes are given and taken in one piece. */
export const pieceBytesMax = 1024 * 1024

export class Copying {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** undefined when the capture is not here, or not to be shown. `isWhole`: with its payload, whatever is stored here. Throws
   * when it is damaged. */
  async give(cursor: string, { isWhole = false } = {}): Promise<CaptureCopy | undefined> {
    const entry = this.#needs.finding.entry(cursor)
    if (entry === undefined) return undefined
    const stored = isWhole && !holdsPayload(entry) ? undefined : await this.#stored(entry)
    return stored ?? this.#exported(cursor, entry)
  }

  /** undefined when others could not read it as it is. */
  async #stored(entry: CaptureEntry): Promise<CaptureCopy | undefined> {
    const { files, records, dictionaries } = this.#needs
    const { location, companionBytes, checksum } = entry
    const all = { ...location, length: location.length + companionBytes }
    const start = await files.read({ ...location, length: 4 })
    const dictionary = await dictionaries.of(location.volume)
    if (!looksLikeGzip(start) && dictionary !== undefined && !isOurs(dictionary)) return undefined
    if (all.length > pieceBytesMax) {
      if (checksum !== undefined && (await records.checksum(all)) !== checksum) throw rotten(entry)
      return files.stream(all)
    }
    const bytes = await files.read(all)
    if (checksum !== undefined && crc32(bytes) !== checksum) throw rotten(entry)
    return bytes
  }

  async #exported(cursor: string, entry: CaptureEntry): Promise<CaptureCopy> {
    const { finding, exporting } = this.#needs
    if (entry.content === undefined)
      throw new StoreError('store-content-missing', `${entry.url} waits for its payload.`)
    const { main, companions } = await exporting.full(finding.byCursor(cursor)!, entry, entry.content)
    if (main instanceof Uint8Array) return Buffer.concat([main, companions])
    return joined(main, companions)
  }

  /** Resolves when it is durable. Throws WarcDamage when a byte of it is wrong; then nothing is kept. */
  async take(copy: CaptureCopy): Promise<TakeOutcome> {
    const { group, mainBytes } =
      copy instanceof Uint8Array ? await this.#inMemory(copy) : await this.#flowing(copy)
    const { main } = group
    try {
      check(main)
      if (this.#isLacking(main)) return 'lacking'
    } catch (error) {
      await main.discard()
      throw error
    }
    const fits = mainBytes !== undefined && this.#fits(copy as Uint8Array)
    const stored = fits ? { bytes: copy, mainBytes: () => mainBytes } : undefined
    const { verdict, problem } = await this.#needs.taking.take(group, {
      stored,
      payloadDigest: this.#digestOf(main),
    })
    switch (verdict) {
      case 'kept':
      case 'known':
      case 'taken-down':
        return verdict
      case 'deferred':
        return 'lacking'
      default:
        throw new WarcDamage(
          'warc-not-a-record',
          0,
          problem?.message ?? `a copy that is no capture: ${verdict}`,
        )
    }
  }

  #isLacking(main: ReadRecord): boolean {
    if (typeOf(main) !== 'revisit' || isDelta(main) || payloadElsewhere(main) !== undefined) return false
    const digest = payloadDigestIn(main)
    return digest === undefined || this.#needs.matching.holding(digest) === undefined
  }

  /** As the check found it, if that is the one that contents are known by here. */
  #digestOf({ payloadDigest }: ReadRecord): Digest | undefined {
    const isOurs = this.#needs.digest === sha256Digest && payloadDigest?.algorithm === 'sha256'
    return isOurs ? payloadDigest : undefined
  }

  #fits(bytes: Uint8Array): boolean {
    return this.#needs.making.isCompressedLike({
      start: bytes.subarray(0, 16),
      dictionary: looksLikeGzip(bytes) ? undefined : recordDictionary,
    })
  }

  async #inMemory(bytes: Uint8Array): Promise<{ group: RecordGroup; mainBytes: number | undefined }> {
    const read: ReadRecord[] = []
    let mainBytes: number | undefined
    for (let at = 0; at < bytes.length; ) {
      const record = decodeRecord(bytes.subarray(at), { dictionary: recordDictionary })
      mainBytes ??= record.length
      read.push(await readRecord(this.#needs, record, at))
      at += record.length
    }
    return { group: groupOf(read), mainBytes }
  }

  async #flowing(chunks: AsyncIterable<Uint8Array>): Promise<{ group: RecordGroup; mainBytes: undefined }> {
    const read: ReadRecord[] = []
    try {
      for await (const item of readWarc(chunks, { dictionary: recordDictionary })) {
        if (item.kind === 'damage') throw item.error
        read.push(await readRecord(this.#needs, item.record, item.offset))
      }
      return { group: groupOf(read), mainBytes: undefined }
    } catch (error) {
      for (const record of read) await record.discard()
      throw error
    }
  }
}

function holdsPayload({ kind }: CaptureEntry): boolean {
  return kind === 'full' || kind === 'plain'
}

function isOurs(dictionary: Uint8Array): boolean {
  return Buffer.compare(dictionary, recordDictionary) === 0
}

function groupOf([main, ...companions]: ReadRecord[]): RecordGroup {
  if (main === undefined || isCompanion(main))
    throw new WarcDamage('warc-not-a-record', 0, 'a copy without a capture')
  const group: RecordGroup = { main }
  for (const record of companions) {
    const place = typeOf(record) === 'request' ? 'request' : 'metadata'
    if (!isCompanion(record) || group[place] !== undefined) {
      throw new WarcDamage('warc-not-a-record', record.offset, 'a copy of more than one capture')
    }
    group[place] = record
  }
  return group
}

/** A payload that comes with it must be told, and right. What revisits and deltas stand for is judged with what they rest on. */
function check(main: ReadRecord): void {
  const isPointer = typeOf(main) === 'revisit'
  const { payload, block } = main.verdicts
  if (payload === 'mismatch' && !isPointer) throw wrong(main, 'payload')
  if (block === 'mismatch') throw wrong(main, 'block')
  if (!isPointer && payload !== 'match') throw wrong(main, 'payload')
}

function wrong({ offset }: ReadRecord, what: string): WarcDamage {
  return new WarcDamage('warc-digest-mismatch', offset, `the ${what} of a copy does not have its digest`)
}

function rotten({ location }: CaptureEntry): WarcDamage {
  return new WarcDamage(
    'warc-bad-checksum',
    location.offset,
    'the stored bytes are not those that were written',
  )
}

async function* joined(main: AsyncIterable<Uint8Array>, companions: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* main
  yield companions
}
