// Compression in the thread that asks, for threads that have nothing else to do.

import { zstdCompressSync } from 'node:zlib'
import { type Compressor, zstdOptions } from '../compressor.ts'
import { gzipAtOnce } from './gzip-at-once.ts'

export const compressorAtOnce: Compressor = {
  gzip: async (bytes, level) => gzipAtOnce(bytes, level),
  zstd: async (bytes, level, dictionary) => zstdCompressSync(bytes, zstdOptions(bytes, level, dictionary)),
}
