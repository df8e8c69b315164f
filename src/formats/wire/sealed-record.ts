// Sealed record: a record on disk with its checksum, for records that look as good after damage as before: a number is a number.
// What is damaged is refused like a message that cannot be read, and so counts as what was never there.
//
// Records from before there were seals begin with another byte, and are read as they are.

import { crc32 } from 'node:zlib'
import { bufferView } from './buffer-view.ts'
import { MessageMalformed } from './message-bytes.ts'

/** No unsealed record that is kept begins like this. */
const mark = 0xa5
const sealBytes = 5

export function sealed(record: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(sealBytes + record.length)
  bytes[0] = mark
  bytes.writeUInt32LE(crc32(record), 1)
  bytes.set(record, sealBytes)
  return bytes
}

/** A view, not a copy. */
export function unsealed(stored: Uint8Array): Buffer {
  const bytes = bufferView(stored)
  if (bytes[0] !== mark) return bytes
  const record = bytes.subarray(sealBytes)
  if (bytes.length < sealBytes || crc32(record) !== bytes.readUInt32LE(1))
    throw new MessageMalformed('a record on disk is damaged')
  return record
}
