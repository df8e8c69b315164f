// What the directory of contents says, as rows that peers copy from each other: where a content is kept, and which sites need it.
//
// Of two rows of one name the one with the higher version counts, and of equal ones the greater: so copies merge in any order.

import { MessageMalformed, MessageReader, MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { Digest } from '../../model/digest.ts'
import { type RingKey, ringKeyBytes, ringKeyFromBytes, ringKeyToBytes } from '../../model/ring-key.ts'
import { timestampMsMax } from '../../model/timestamp.ts'
import { tryParseUrl } from '../../model/url.ts'

/** The capture that a content was first seen with: its site's peers keep it. */
export interface FirstCapture {
  readonly url: string
  readonly capturedAtMs: number
  /** A UUID. */
  readonly recordId: string
}

export interface ContentPlace {
  readonly digest: Digest
  readonly sizeBytes: number
  readonly capture: FirstCapture
}

export interface Need {
  readonly digest: Digest
  /** Of the site whose captures need it. */
  readonly site: RingKey
  readonly isNeeded: boolean
}

export type ContentRow =
  | { readonly kind: 'place'; readonly version: number; readonly place: ContentPlace }
  | { readonly kind: 'need'; readonly version: number; readonly need: Need }

export const digestBytes = 32
/** What is longer is not worth a place in the directory. */
export const urlBytesMax = 2_000
const idBytes = 16
const placeKind = 0
const needKind = 1

/** Where on the ring the directory has its entry. */
export function placeOfDigest({ bytes }: Digest): RingKey {
  return ringKeyFromBytes(bytes.subarray(0, ringKeyBytes))
}

/** In the directory's table: all rows of a digest lie together, that of its place first. */
export function rowKey(row: ContentRow): Buffer {
  if (row.kind === 'place') return Buffer.from(row.place.digest.bytes)
  return Buffer.concat([row.need.digest.bytes, ringKeyToBytes(row.need.site)])
}

export function digestOfRow(row: ContentRow): Digest {
  return row.kind === 'place' ? row.place.digest : row.need.digest
}

export function encodeRow(row: ContentRow): Uint8Array {
  const writer = new MessageWriter()
  writeRow(writer, row)
  return writer.finish()
}

export function decodeRow(bytes: Uint8Array): ContentRow {
  return readRow(new MessageReader(bytes))
}

/** Whether the first counts where both are known, as they are encoded. */
export function counts(row: Uint8Array, known: Uint8Array): boolean {
  const [version, knownVersion] = [decodeRow(row).version, decodeRow(known).version]
  return version === knownVersion ? Buffer.compare(row, known) > 0 : version > knownVersion
}

export function writeRow(writer: MessageWriter, row: ContentRow): void {
  if (row.kind === 'place') {
    writer.byte(placeKind).number(row.version)
    writePlace(writer, row.place)
  } else {
    writer.byte(needKind).number(row.version)
    writeNeed(writer, row.need)
  }
}

export function readRow(reader: MessageReader): ContentRow {
  const kind = reader.number(needKind)
  const version = reader.counter()
  return kind === placeKind
    ? { kind: 'place', version, place: readPlace(reader) }
    : { kind: 'need', version, need: readNeed(reader) }
}

export function writePlace(writer: MessageWriter, { digest, sizeBytes, capture }: ContentPlace): void {
  writer.fixed(digest.bytes).number(sizeBytes)
  writeCapture(writer, capture)
}

export function readPlace(reader: MessageReader): ContentPlace {
  return { digest: readDigest(reader), sizeBytes: reader.counter(), capture: readCapture(reader) }
}

export function writeNeed(writer: MessageWriter, { digest, site, isNeeded }: Need): void {
  writer
    .fixed(digest.bytes)
    .hex(site)
    .byte(isNeeded ? 1 : 0)
}

export function readNeed(reader: MessageReader): Need {
  return { digest: readDigest(reader), site: readKey(reader), isNeeded: reader.number(1) === 1 }
}

export function writeCapture(writer: MessageWriter, { url, capturedAtMs, recordId }: FirstCapture): void {
  writer.text(url).number(capturedAtMs).hex(recordId.replaceAll('-', ''))
}

export function readCapture(reader: MessageReader): FirstCapture {
  const url = reader.name(urlBytesMax)
  if (tryParseUrl(url) === null) throw new MessageMalformed('a capture without a URL')
  return { url, capturedAtMs: reader.number(timestampMsMax), recordId: readUuid(reader) }
}

export function readDigest(reader: MessageReader): Digest {
  return { algorithm: 'sha256', bytes: reader.copy(digestBytes) }
}

export function readKey(reader: MessageReader): RingKey {
  return reader.hex(ringKeyBytes) as RingKey
}

function readUuid(reader: MessageReader): string {
  return reader.hex(idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
