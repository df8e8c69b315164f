// The records of a journal as bytes: what each says, and the grounds that it stands on.
//
// Every record has its length and a checksum that goes on from the record before it: a torn end, or bytes of a write that
// failed, are never taken for a record. And it has a stamp, which says how much of the file was synced when it was written:
// what is not right before that was right once, and has rotted. To take it for a torn end would be to forget all that was
// acknowledged behind it. Files of the first two kinds, which a crash of an earlier version may have left, have no stamps,
// and those of the first know of no grounds.

import { crc32 } from 'node:zlib'
import type { Ground } from '../storage/key-value.ts'

/** A ground as it is written down. */
export type NotedGround = Omit<Ground, 'sync'>

export interface JournalRecord {
  /** Empty: it counts in any case. */
  grounds: NotedGround[]
  content: Uint8Array
}

interface JournalRecords {
  records: JournalRecord[]
  /** The first that is not whole was whole once. */
  isRotten: boolean
}

/** What a file begins with. */
export const mark = Buffer.from('polyhistor index journal 3\n')
export const markChecksum = crc32(mark)
/** Where the next record goes, and what it goes on from. */
export interface JournalEnd {
  position: number
  checksum: number
  /** Up to where all is synced. */
  syncedBytes: number
}

const firstMark = Buffer.from('polyhistor index journal 1\n')
const secondMark = Buffer.from('polyhistor index journal 2\n')
const headBytes = 8
/** No text has these bytes. */
const stampSign = Buffer.from([0xff, 0x00, 0xfe, 0x01])
const stampBytes = stampSign.length + 6 + 4
const countBytes = 2
const offsetBytes = 6

/** In the parts that are to be written, with the checksum that the next record goes on from. */
export function encodeRecord(
  content: Uint8Array,
  grounds: readonly NotedGround[],
  { position, checksum: before, syncedBytes }: JournalEnd,
): { parts: Uint8Array[]; checksum: number } {
  const stamp = encodeStamp(position, syncedBytes)
  const noted = encodeGrounds(grounds)
  const checksum = crc32(content, crc32(noted, crc32(stamp, before)))
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32BE(stamp.length + noted.length + content.length)
  head.writeUInt32BE(checksum, 4)
  return { parts: [head, stamp, noted, content], checksum }
}

/** Of a whole file, up to the first that is not whole. */
export function recordsIn(file: Buffer): JournalRecords {
  const start = file.subarray(0, mark.length)
  const kind = [firstMark, secondMark, mark].findIndex((one) => start.equals(one)) + 1
  const records: JournalRecord[] = []
  let at = kind === 0 ? 0 : mark.length
  let before = crc32(start)
  while (kind > 0 && at + headBytes <= file.length) {
    const end = at + headBytes + file.readUInt32BE(at)
    const bytes = file.subarray(at + headBytes, end)
    const checksum = file.readUInt32BE(at + 4)
    if (end > file.length || crc32(bytes, before) !== checksum) break
    records.push(decodeRecord(bytes, kind))
    before = checksum
    at = end
  }
  return { records, isRotten: syncedBytesAfter(file, at) > at }
}

function encodeStamp(position: number, syncedBytes: number): Buffer {
  const stamp = Buffer.allocUnsafe(stampBytes)
  let at = stampSign.copy(stamp)
  at = stamp.writeUIntBE(syncedBytes, at, 6)
  // With its place, which nobody can know whose words the journal may hold.
  stamp.writeUInt32BE(crc32(stamp.subarray(0, at), position), at)
  return stamp
}

/** The most that any stamp from there on says, wherever the records lie to which they belong. */
function syncedBytesAfter(file: Buffer, from: number): number {
  let syncedBytes = 0
  for (let at = file.indexOf(stampSign, from); at >= 0; at = file.indexOf(stampSign, at + 1)) {
    if (at + stampBytes > file.length) break
    const told = file.readUIntBE(at + stampSign.length, 6)
    const isStamp = encodeStamp(at - headBytes, told).equals(file.subarray(at, at + stampBytes))
    if (isStamp) syncedBytes = Math.max(syncedBytes, told)
  }
  return syncedBytes
}

function encodeGrounds(grounds: readonly NotedGround[]): Buffer {
  const parts = grounds.map(({ path, offset, length, checksum }) => {
    const name = Buffer.from(path)
    const bytes = Buffer.allocUnsafe(2 + name.length + 2 * offsetBytes + 4)
    let at = bytes.writeUInt16BE(name.length)
    at += name.copy(bytes, at)
    at = bytes.writeUIntBE(offset, at, offsetBytes)
    at = bytes.writeUIntBE(length, at, offsetBytes)
    bytes.writeUInt32BE(checksum, at)
    return bytes
  })
  const count = Buffer.allocUnsafe(countBytes)
  count.writeUInt16BE(parts.length)
  return parts.length === 0 ? count : Buffer.concat([count, ...parts])
}

function decodeRecord(bytes: Buffer, kind: number): JournalRecord {
  if (kind === 1) return { grounds: [], content: bytes }
  return decodeNoted(kind === 2 ? bytes : bytes.subarray(stampBytes))
}

function decodeNoted(bytes: Buffer): JournalRecord {
  let at = countBytes
  const grounds = Array.from({ length: bytes.readUInt16BE() }, (): NotedGround => {
    const pathEnd = at + 2 + bytes.readUInt16BE(at)
    const path = bytes.toString('utf8', at + 2, pathEnd)
    at = pathEnd + 2 * offsetBytes + 4
    return {
      path,
      offset: bytes.readUIntBE(pathEnd, offsetBytes),
      length: bytes.readUIntBE(pathEnd + offsetBytes, offsetBytes),
      checksum: bytes.readUInt32BE(pathEnd + 2 * offsetBytes),
    }
  })
  return { grounds, content: bytes.subarray(at) }
}
