// Compression on Node's thread pool: the main thread goes on, and several records are compressed at once.

import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { type Compressor, zstdOptions } from '../compressor.ts'
import { GzipEngines } from './gzip-engines.ts'

const gzipEngines = new GzipEngines()
const zstdOnPool = promisify<Uint8Array, object, Buffer>(zstdCompress)

export const realCompressor: Compressor = {
  gzip: (bytes, level) => gzipEngines.gzip(bytes, level),
  zstd: (bytes, level, dictionary) => zstdOnPool(bytes, zstdOptions(level, dictionary)),
}
