// Compression in the thread that asks, for threads that have nothing else to do.

import type { Compressor } from '../../compressor.ts'
import { gzipAtOnce } from './gzip-at-once.ts'
import { zstdAtOnce } from './zstd-at-once.ts'

export const compressorAtOnce: Compressor = {
  gzip: async (bytes, level) => gzipAtOnce(bytes, level),
  zstd: async (bytes, level, dictionary) => zstdAtOnce(bytes, level, dictionary),
}
