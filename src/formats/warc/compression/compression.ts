// How the records of a file are compressed: each one by itself, so that it can be read by its offset alone.

import { encodeGzipMember } from './gzip-member.ts'
import { encodeZstdFrame, type ZstdOptions } from './zstd-frame.ts'

export type Compression =
  | { kind: 'none' }
  | { kind: 'gzip'; level?: number | undefined }
  /** With a dictionary, the file must open with encodeDictionaryFrame(dictionary). */
  | ({ kind: 'zstd' } & ZstdOptions)

export const uncompressed: Compression = { kind: 'none' }
export const gzip: Compression = { kind: 'gzip' }
export const zstd: Compression = { kind: 'zstd' }

export function compress(bytes: Buffer, compression: Compression): Buffer {
  switch (compression.kind) {
    case 'none':
      return bytes
    case 'gzip':
      return encodeGzipMember(bytes, compression.level)
    case 'zstd':
      return encodeZstdFrame(bytes, compression)
  }
}
