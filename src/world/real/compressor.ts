// Compression on Node's thread pool: the main thread goes on, and several records are compressed at once.

import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import { type Compressor, zstdOptions } from '../compressor.ts'

const gzipOnPool = promisify<Uint8Array, { level: number }, Buffer>(gzip)
const zstdOnPool = promisify<Uint8Array, object, Buffer>(zstdCompress)

export const realCompressor: Compressor = {
  gzip: (bytes, level) => gzipOnPool(bytes, { level }),
  zstd: (bytes, level, dictionary) => zstdOnPool(bytes, zstdOptions(level, dictionary)),
}
