// What the index knows of a content: where its bytes lie, how they are kept, and how many need them.

import { MessageWriter } from '../../formats/wire/message-bytes.ts'
import type { Digest } from '../../model/digest.ts'
import type { ContentKey } from '../contents/content-key.ts'
import { EntryReader } from './entry-coding.ts'
import { type Location, readChecksum, readLocation, writeChecksum, writeLocation } from './location.ts'

export interface ContentEntry {
  /** Captures, puts and deltas that need it. At 0 the entry is removed and its bytes are dead. */
  references: number
  /** How many of those are puts, which alone can be taken back by content key. */
  puts: number
  /** How many of the references are of captures that are hidden, and of deltas that are. See isHidden. */
  hidden: number
  /** The record that holds it. */
  location: Location
  /** Bytes of the payload, decoded. */
  sizeBytes: number
  /** For a delta: the content that it was made against. */
  base: ContentKey | undefined
  /** How many deltas lie between it and a full record: 0 for a full record. */
  depth: number
  /** The record was written for a capture that is gone: compaction keeps the content and drops what else it says. */
  isOrphaned: boolean
  /** Its bytes were found to be wrong: not served until repaired. */
  isDamaged: boolean
  /** CRC-32 of the record as stored, where it stands for itself; that of a capture's record is in the capture's. */
  checksum: number | undefined
}

/** Of a content that was just written, as a full record, for one that needs it. */
export function newContentEntry(location: Location, sizeBytes: number): ContentEntry {
  return {
    references: 1,
    puts: 0,
    hidden: 0,
    location,
    sizeBytes,
    base: undefined,
    depth: 0,
    isOrphaned: false,
    isDamaged: false,
    checksum: undefined,
  }
}

/** Only what was taken down needs it: it is kept, and given to nobody. */
export function isHidden({ references, hidden }: ContentEntry): boolean {
  return references > 0 && hidden === references
}

const hasBase = 1
const damaged = 2
const orphaned = 4
const hasPuts = 8
const hasChecksum = 16
const hasHidden = 32
const digestBytes = 32

/** It may share the digest's memory. */
export function contentTableKey({ digest, overflow }: ContentKey): Uint8Array {
  if (overflow === 0 && digest.bytes.length === digestBytes) return digest.bytes
  const key = Buffer.alloc(overflow === 0 ? digestBytes : digestBytes + 2)
  key.set(digest.bytes)
  if (overflow > 0) key.writeUInt16BE(overflow, digestBytes)
  return key
}

export function parseContentTableKey(key: Uint8Array): ContentKey {
  const digest: Digest = { algorithm: 'sha256', bytes: Buffer.from(key.subarray(0, digestBytes)) }
  return { digest, overflow: key.length > digestBytes ? key[digestBytes]! * 256 + key[digestBytes + 1]! : 0 }
}

export function encodeContentEntry(entry: ContentEntry): Uint8Array {
  const { base, puts } = entry
  const writer = new MessageWriter()
  writer.number(
    (base ? hasBase : 0) |
      (entry.isDamaged ? damaged : 0) |
      (entry.isOrphaned ? orphaned : 0) |
      (puts > 0 ? hasPuts : 0) |
      (entry.checksum === undefined ? 0 : hasChecksum) |
      (entry.hidden > 0 ? hasHidden : 0),
  )
  writer.number(entry.references)
  writeLocation(writer, entry.location)
  writer.number(entry.sizeBytes)
  if (puts > 0) writer.number(puts)
  if (base) writer.fixed(base.digest.bytes).number(base.overflow).number(entry.depth)
  if (entry.checksum !== undefined) writeChecksum(writer, entry.checksum)
  if (entry.hidden > 0) writer.number(entry.hidden)
  return writer.finish()
}

export function decodeContentEntry(bytes: Uint8Array): ContentEntry {
  const reader = new EntryReader(bytes)
  const flags = reader.number()
  const entry: ContentEntry = {
    references: reader.number(),
    location: readLocation(reader),
    sizeBytes: reader.number(),
    puts: flags & hasPuts ? reader.number() : 0,
    hidden: 0,
    base: undefined,
    depth: 0,
    isDamaged: (flags & damaged) !== 0,
    isOrphaned: (flags & orphaned) !== 0,
    checksum: undefined,
  }
  if (flags & hasBase) {
    const digest: Digest = { algorithm: 'sha256', bytes: reader.fixed(digestBytes) }
    entry.base = { digest, overflow: reader.number() }
    entry.depth = reader.number()
  }
  if (flags & hasChecksum) entry.checksum = readChecksum(reader)
  if (flags & hasHidden) entry.hidden = reader.number()
  return entry
}
