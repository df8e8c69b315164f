// One capture as it goes into an export: records that stand for themselves, a gzip member each.
//
// What is stored whole, in gzip and not chunked is copied as it lies. Deltas are undone; so is a revisit whose original is not part
// of the export. Every payload is verified before its first byte goes out, for bytes that are in the file cannot be
// taken back.

import { crc32 } from 'node:zlib'
import type { FieldList } from '../../formats/http/field-list.ts'
import { isChunked, parseHttpHead, withoutTransferCoding } from '../../formats/http/http-message.ts'
import { fetchedUrl } from '../../formats/http/request-query.ts'
import { gzip } from '../../formats/warc/compression/compression.ts'
import { looksLikeGzip } from '../../formats/warc/compression/gzip-member.ts'
import { WarcDamage } from '../../formats/warc/damage.ts'
import { dechunked } from '../../formats/warc/dechunking.ts'
import { contentOf, holdsHttp } from '../../formats/warc/payload.ts'
import { targetUriOf, type WarcBlock, type WarcRecord } from '../../formats/warc/record.ts'
import {
  type Revisited,
  resource,
  response,
  revisit,
  type Truncation,
} from '../../formats/warc/record-builder.ts'
import { encodeRecordStream, printRecord } from '../../formats/warc/record-encoding.ts'
import { equalDigests } from '../../model/digest.ts'
import type { Compressor } from '../../platform/compressor.ts'
import type { Capture } from '../capture.ts'
import type { ContentDigest } from '../contents/content-digest.ts'
import type { ContentKey } from '../contents/content-key.ts'
import { type ContentLoader, wholeBytesMax } from '../contents/content-loader.ts'
import type { PayloadReader } from '../elsewhere/payload-reader.ts'
import type { CaptureEntry } from '../index/capture-entry.ts'
import type { Location } from '../index/location.ts'
import { markedImported, markedImportedRevisit } from '../records/import-mark.ts'
import { markedProven, proofIn } from '../records/proof-mark.ts'
import { warcDate } from '../records/record-builder.ts'
import type { RecordReader, RecordStart } from '../records/record-reader.ts'
import { filedUrl, markedRequest } from '../records/request-mark.ts'
import { earlierIn } from '../records/revisited.ts'
import type { VolumeFiles } from '../volumes/volume-files.ts'

export interface ExportedRecords {
  /** The capture's own record. What flows by has been verified. */
  main: Uint8Array | AsyncIterable<Uint8Array>
  isRevisit: boolean
  /** What was asked, what is known besides. */
  companions: Uint8Array
}

export interface RecordExportNeeds {
  files: VolumeFiles
  records: RecordReader
  loader: ContentLoader
  payloads: PayloadReader
  compressor: Compressor
  digest: ContentDigest
}

const level = 6

export class RecordExport {
  readonly #needs: RecordExportNeeds

  constructor(needs: RecordExportNeeds) {
    this.#needs = needs
  }

  /** The capture's payload in a record of its own. */
  async full(capture: Capture, entry: CaptureEntry, content: ContentKey): Promise<ExportedRecords> {
    await this.#checkSum(entry)
    const holds = entry.kind === 'full' || entry.kind === 'plain'
    const main = holds
      ? await this.#stored(capture, entry, content)
      : await this.#undone(capture, entry, content)
    return { main, isRevisit: false, companions: await this.#companions(entry) }
  }

  /** A record that points at another one in the export: at the one that it names or, if given, at `refersTo`. */
  async revisit(
    capture: Capture,
    entry: CaptureEntry,
    content: ContentKey,
    refersTo?: Revisited,
  ): Promise<ExportedRecords> {
    await this.#checkSum(entry)
    const companions = await this.#companions(entry)
    if (refersTo === undefined) return { main: await this.#copied(entry), isRevisit: true, companions }
    const start = await this.#needs.records.startOfCapture(entry)
    const record = revisit({
      ...contextOf(capture, start),
      kind: 'server-not-modified',
      block: start.block,
      payloadDigest: content.digest,
      refersTo,
    })
    return { main: await this.#gzipped(markedProven(record, proofIn(start))), isRevisit: true, companions }
  }

  /** A revisit of what is not in this archive, as it is. */
  async revisitOfUnknown(entry: CaptureEntry): Promise<ExportedRecords> {
    await this.#checkSum(entry)
    const main = await this.#copied(entry)
    return { main, isRevisit: true, companions: await this.#companions(entry) }
  }

  /** A record that holds its content, verified. */
  async #stored(
    capture: Capture,
    entry: CaptureEntry,
    content: ContentKey,
  ): Promise<ExportedRecords['main']> {
    const { files, records, digest, loader } = this.#needs
    const { location } = entry
    if (location.length > wholeBytesMax || entry.payloadBytes > wholeBytesMax) {
      const start = await records.startOfCapture(entry)
      if (isChunkedStart(start) || !isFiledSo(start, entry)) return this.#undone(capture, entry, content)
      for await (const _ of loader.chunks(content));
      return this.#flowing(location)
    }
    const bytes = await files.read(location)
    const record = await records.decode(location.volume, bytes)
    if (!equalDigests(digest.of(contentOf(record).payload), content.digest)) throw rotten(location)
    return this.#member(bytes, record, entry)
  }

  async *#flowing(location: Location): AsyncGenerator<Uint8Array> {
    const { files, records } = this.#needs
    if (looksLikeGzip(await files.read({ ...location, length: 4 }))) {
      yield* files.stream(location)
      return
    }
    const items = records.items(location)
    try {
      const { value: item } = await items.next()
      if (item?.kind !== 'record') throw item?.error ?? rotten(location)
      yield* encodeRecordStream(item.record, gzip)
    } finally {
      await items.return(undefined)
    }
  }

  /** The answer whole again: its own head, the payload wherever that lies. */
  async #undone(
    capture: Capture,
    entry: CaptureEntry,
    content: ContentKey,
  ): Promise<ExportedRecords['main']> {
    const { records, loader, payloads } = this.#needs
    const start = await records.startOfCapture(entry)
    const { url, isElsewhere, payloadBytes } = entry
    const sizeBytes = isElsewhere ? payloadBytes : loader.entry(content).sizeBytes
    const refersTo = isElsewhere ? earlierIn(start)?.url : undefined
    const payload = { url, content, sizeBytes, isElsewhere, refersTo }
    const head = headOf(start)
    const context = { ...contextOf(capture, start), payloadDigest: content.digest }
    const record = <Block extends WarcBlock>(block: Block): WarcRecord<Block> => {
      const made =
        head === undefined
          ? resource({ ...context, block, contentType: capture.mime || 'application/octet-stream' })
          : response({ ...context, block })
      const asked = markedProven(markedRequest(made, capture.url), proofIn(start))
      const marked = entry.isImportedRevisit ? markedImportedRevisit(asked) : asked
      return entry.importedBy === undefined ? marked : markedImported(marked, entry.importedBy)
    }
    const first = head ?? new Uint8Array(0)
    if (sizeBytes <= wholeBytesMax) {
      return this.#gzipped(record(Buffer.concat([first, await payloads.bytes(payload)])))
    }
    for await (const _ of payloads.chunks(payload));
    const block: WarcBlock = {
      length: first.length + sizeBytes,
      async *[Symbol.asyncIterator]() {
        yield first
        yield* payloads.chunks(payload)
      },
    }
    return encodeRecordStream(record(block), gzip)
  }

  async #companions(entry: CaptureEntry): Promise<Uint8Array> {
    const { location, companionBytes } = entry
    if (companionBytes === 0) return new Uint8Array(0)
    const { files, records } = this.#needs
    const copies: Uint8Array[] = []
    const all = await files.read({
      ...location,
      offset: location.offset + location.length,
      length: companionBytes,
    })
    for (let at = 0; at < all.length; ) {
      const record = await records.decode(location.volume, all.subarray(at))
      copies.push(
        looksLikeGzip(all.subarray(at)) ? all.subarray(at, at + record.length) : await this.#gzipped(record),
      )
      at += record.length
    }
    return Buffer.concat(copies)
  }

  /** The stored bytes are those that were written. */
  async #checkSum({ location, companionBytes, checksum }: CaptureEntry): Promise<void> {
    if (checksum === undefined) return
    const all = { ...location, length: location.length + companionBytes }
    const { files, records } = this.#needs
    const found = all.length > wholeBytesMax ? await records.checksum(all) : crc32(await files.read(all))
    if (found !== checksum) throw rotten(location)
  }

  async #copied(entry: CaptureEntry): Promise<Uint8Array> {
    const { files, records } = this.#needs
    const { location } = entry
    const bytes = await files.read(location)
    const record = await records.decode(location.volume, bytes)
    return this.#member(bytes, record, entry)
  }

  /** As it lies, if every tool can read it so. */
  async #member(stored: Uint8Array, record: WarcRecord, entry: CaptureEntry): Promise<Uint8Array> {
    const whole = dechunked(record)
    const plain = isFiledSo(record, entry) ? whole : markedRequest(whole, entry.url)
    return plain === record && looksLikeGzip(stored) ? stored : this.#gzipped(plain)
  }

  #gzipped(record: WarcRecord): Promise<Uint8Array> {
    return this.#needs.compressor.gzip(printRecord(record), level)
  }
}

function isChunkedStart(start: RecordStart): boolean {
  const head = holdsHttp(start) ? parseHttpHead(start.block) : undefined
  return head !== undefined && isChunked(head)
}

/** What earlier versions filed as a GET, and is none, has no mark in its record. */
function isFiledSo(record: { fields: FieldList }, { url }: CaptureEntry): boolean {
  return fetchedUrl(url) === url || filedUrl(record)?.href === url
}

function headOf(start: RecordStart): Uint8Array | undefined {
  const head = holdsHttp(start) ? parseHttpHead(start.block) : undefined
  return head && withoutTransferCoding(start.block.subarray(0, head.length))
}

function contextOf(capture: Capture, { fields }: RecordStart) {
  const protocols = fields.getAll('WARC-Protocol')
  const truncated = fields.get('WARC-Truncated') as Truncation | undefined
  return {
    id: capture.recordId,
    date: warcDate(capture.capturedAtMs),
    targetUri: targetUriOf({ fields }) ?? capture.url,
    ipAddress: fields.get('WARC-IP-Address'),
    protocols: protocols.length > 0 ? protocols : undefined,
    // A revisit says so of its missing payload, which is here again.
    truncated: capture.kind === 'same' ? undefined : truncated,
  }
}

function rotten({ offset }: Location): WarcDamage {
  return new WarcDamage('warc-bad-checksum', offset, 'the stored bytes are not those that were written')
}
