// Compression, as the rest of the program may see it: work for other threads, where there are any.

import { constants } from 'node:zlib'

export interface Compressor {
  // Of bytes in parts, too, which need not be joined for it.
  /** One gzip member. */
  gzip(bytes: Uint8Array | readonly Uint8Array[], level: number): Promise<Uint8Array>
  /** One zstd frame that says its size, with a checksum. */
  zstd(bytes: Uint8Array | readonly Uint8Array[], level: number, dictionary?: Uint8Array): Promise<Uint8Array>
}

/** Bytes that came in parts, in one piece. */
export function joined(bytes: Uint8Array | readonly Uint8Array[]): Uint8Array {
  return bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes)
}

/** The same for every kind of compressor, so that all give the same bytes. `bytes`: of the whole input, for those who give
 * it in parts; a frame could not say its size otherwise. */
export function zstdOptions(
  level: number,
  dictionary?: Uint8Array,
  bytes?: number,
): { params: Record<number, number>; pledgedSrcSize?: number; dictionary?: Buffer } {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_checksumFlag]: 1 }
  const options = bytes === undefined ? { params } : { params, pledgedSrcSize: bytes }
  if (dictionary === undefined) return options
  const view = Buffer.from(dictionary.buffer, dictionary.byteOffset, dictionary.byteLength)
  return { ...options, dictionary: view }
}
