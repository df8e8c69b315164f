// The records of a journal as bytes: what each says, and the grounds that it stands on.
//
// Every record has its length and a checksum that goes on from the record before it: a torn end, or bytes of a write that
// failed, are never taken for a record. Files of the first kind, which a crash of an earlier version may have left, know of
// no grounds.

import { crc32 } from 'node:zlib'
import type { Ground } from '../key-value.ts'

/** A ground as it is written down. */
export type NotedGround = Omit<Ground, 'sync'>

export interface JournalRecord {
  /** Empty: it counts in any case. */
  grounds: NotedGround[]
  content: Uint8Array
}

/** What a file begins with. */
export const mark = Buffer.from('polyhistor index journal 2\n')
export const markChecksum = crc32(mark)
const firstMark = Buffer.from('polyhistor index journal 1\n')
const headBytes = 8
const countBytes = 2
const offsetBytes = 6

/** In the parts that are to be written, with the checksum that the next record goes on from. */
export function encodeRecord(
  content: Uint8Array,
  grounds: readonly NotedGround[],
  before: number,
): { parts: Uint8Array[]; checksum: number } {
  const noted = encodeGrounds(grounds)
  const checksum = crc32(content, crc32(noted, before))
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt32BE(noted.length + content.length)
  head.writeUInt32BE(checksum, 4)
  return { parts: [head, noted, content], checksum }
}

/** Of a whole file, up to the first that is not whole. */
export function recordsIn(file: Buffer): JournalRecord[] {
  const start = file.subarray(0, mark.length)
  const isFirstKind = start.equals(firstMark)
  if (!isFirstKind && !start.equals(mark)) return []
  const records: JournalRecord[] = []
  let before = crc32(start)
  for (let at = mark.length; at + headBytes <= file.length; ) {
    const end = at + headBytes + file.readUInt32BE(at)
    const bytes = file.subarray(at + headBytes, end)
    const checksum = file.readUInt32BE(at + 4)
    if (end > file.length || crc32(bytes, before) !== checksum) break
    records.push(isFirstKind ? { grounds: [], content: bytes } : decodeRecord(bytes))
    before = checksum
    at = end
  }
  return records
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

function decodeRecord(bytes: Buffer): JournalRecord {
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
