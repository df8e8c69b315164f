// Sealed bytes: a value of the index with its checksum, so that rot is found where it is read and not believed.

import { crc32 } from 'node:zlib'
import { bufferView } from '../../formats/wire/buffer-view.ts'
import { SearchError } from '../search-error.ts'

export const sealBytes = 4

export function sealed(bytes: Uint8Array): Buffer {
  const value = Buffer.allocUnsafe(sealBytes + bytes.length)
  value.writeUInt32LE(crc32(bytes), 0)
  value.set(bytes, sealBytes)
  return value
}

/** Of bytes that begin with room for it. */
export function seal(value: Buffer): void {
  value.writeUInt32LE(crc32(value.subarray(sealBytes)), 0)
}

export function unsealed(value: Uint8Array): Buffer {
  const bytes = bufferView(value)
  if (bytes.length < sealBytes || crc32(bytes.subarray(sealBytes)) !== bytes.readUInt32LE(0)) throw damaged()
  return bytes.subarray(sealBytes)
}

export function damaged(): SearchError {
  return new SearchError(
    'search-index-damaged',
    'The search index is damaged. It is made anew from the archive.',
  )
}
