// What the index knows of a capture, enough to list it (CDX) without opening a volume.

import { MessageWriter } from '../../formats/wire/message-bytes.ts'
import { type CaptureKind, captureKinds } from '../../model/capture-json.ts'
import type { ContentKey } from '../contents/content-key.ts'
import { parseCaptureKey } from './capture-key.ts'
import { EntryReader, indexDamage } from './entry-coding.ts'
import { type Location, readChecksum, readLocation, writeChecksum, writeLocation } from './location.ts'
import { readMime, writeMime } from './mime-coding.ts'
import { readUrl, writeUrl } from './url-coding.ts'

export interface CaptureEntry {
  kind: CaptureKind
  /** The capture's main record; request and metadata records follow it at once. */
  location: Location
  /** Bytes of the records that follow. */
  companionBytes: number
  /** HTTP status; 0 where there is none. */
  status: number
  mime: string
  /** undefined for an imported revisit whose payload digest nobody told. */
  content: ContentKey | undefined
  payloadBytes: number
  /** The 16 bytes of its UUID. */
  recordId: Uint8Array
  /** As fetched. */
  url: string
  /** CRC-32 of its records as stored, all of them: what digests and compression leave uncovered rots as well. undefined
   * when it was never known. */
  checksum: number | undefined
  /** Other peers keep its payload: the content is named and not counted here, and need not be here. */
  isElsewhere: boolean
  /** The peer that brought it into the network; undefined for what was crawled. */
  importedBy: string | undefined
  /** It was taken down, and may be brought back: in no list, kept on the ring as all others. */
  isHidden: boolean
  /** Another capture of its URL and second is held to be the first: see same-second.ts. */
  isLater: boolean
  /** The archive that it was imported from had it as a revisit. What only this store keeps once is none to others. */
  isImportedRevisit: boolean
  /** When it came as a copy, to the minute; 0 if that is not known. undefined: first-hand, or settled. */
  heardAtMs: number | undefined
}

export const recordIdBytes = 16
const kindBits = 7
const hasContent = 8
const hasOverflow = 16
const hasChecksum = 32
const elsewhere = 64
const imported = 128
const hidden = 256
const later = 512
const importedRevisit = 1024
const heard = 2_048
const minuteMs = 60_000

/** The key goes with it: what the key tells is not written again. */
export function encodeCaptureEntry(key: Uint8Array, entry: CaptureEntry): Uint8Array {
  const { content } = entry
  const writer = new MessageWriter()
  writer.number(
    captureKinds.indexOf(entry.kind) |
      (content ? hasContent : 0) |
      (content?.overflow ? hasOverflow : 0) |
      (entry.checksum === undefined ? 0 : hasChecksum) |
      (entry.isElsewhere ? elsewhere : 0) |
      (entry.importedBy === undefined ? 0 : imported) |
      (entry.isHidden ? hidden : 0) |
      (entry.isLater ? later : 0) |
      (entry.isImportedRevisit ? importedRevisit : 0) |
      (entry.heardAtMs === undefined ? 0 : heard),
  )
  writeLocation(writer, entry.location)
  writer.number(entry.companionBytes).number(entry.status)
  writeMime(writer, entry.mime)
  if (content) writer.fixed(content.digest.bytes)
  if (content?.overflow) writer.number(content.overflow)
  writer.number(entry.payloadBytes).fixed(entry.recordId)
  writeUrl(writer, entry.url, parseCaptureKey(key).surt)
  if (entry.checksum !== undefined) writeChecksum(writer, entry.checksum)
  if (entry.importedBy !== undefined) writer.text(entry.importedBy)
  if (entry.heardAtMs !== undefined) writer.number(Math.floor(entry.heardAtMs / minuteMs))
  return writer.finish()
}

export function decodeCaptureEntry(key: Uint8Array, bytes: Uint8Array): CaptureEntry {
  const reader = new EntryReader(bytes)
  const flags = reader.number()
  const kind = captureKinds[flags & kindBits]
  if (kind === undefined) throw indexDamage('it is of no kind of capture')
  const location = readLocation(reader)
  const companionBytes = reader.number()
  const status = reader.number()
  const mime = readMime(reader)
  const digest = flags & hasContent ? reader.fixed(32) : undefined
  const overflow = flags & hasOverflow ? reader.number() : 0
  return {
    kind,
    location,
    companionBytes,
    status,
    mime,
    content: digest && { digest: { algorithm: 'sha256', bytes: digest }, overflow },
    payloadBytes: reader.number(),
    recordId: reader.fixed(recordIdBytes),
    url: readUrl(reader, parseCaptureKey(key).surt),
    checksum: flags & hasChecksum ? readChecksum(reader) : undefined,
    isElsewhere: (flags & elsewhere) !== 0,
    importedBy: flags & imported ? reader.text() : undefined,
    isHidden: (flags & hidden) !== 0,
    isLater: (flags & later) !== 0,
    isImportedRevisit: (flags & importedRevisit) !== 0,
    heardAtMs: flags & heard ? reader.number() * minuteMs : undefined,
  }
}

/** The record id alone: all that a walk over many captures needs of each. */
export function recordIdIn(bytes: Uint8Array): Uint8Array {
  const reader = new EntryReader(bytes)
  const flags = reader.number()
  readLocation(reader)
  reader.number()
  reader.number()
  readMime(reader)
  if (flags & hasContent) reader.fixed(32)
  if (flags & hasOverflow) reader.number()
  reader.number()
  return reader.fixed(recordIdBytes)
}
