// Compression at once, on the one thread that a simulation has: threads would make no two runs alike.

import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type Compressor, joined, zstdOptions } from '../compressor.ts'

export const simulatedCompressor: Compressor = {
  gzip: async (bytes, level) => gzipSync(joined(bytes), { level }),
  zstd: async (bytes, level, dictionary) => {
    const input = joined(bytes)
    return zstdCompressSync(input, zstdOptions(level, dictionary, input.length))
  },
}
