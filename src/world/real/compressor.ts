// Compression on Node's thread pool, so that the main thread goes on and several records are compressed at once; but for
// what is done sooner than handed over.

import { promisify } from 'node:util'
import { gzipSync, zstdCompress, zstdCompressSync } from 'node:zlib'
import { type Compressor, zstdOptions } from '../compressor.ts'
import { GzipEngines } from './gzip-engines.ts'
import { ShortWork } from './short-work.ts'

const gzipEngines = new GzipEngines()
const zstdOnPool = promisify<Uint8Array, object, Buffer>(zstdCompress)

// A zstd context of megabytes is made for every call. Made and thrown away by turns between threads it costs several times
// what the compression does (measured: pages of 16 kB, 2 cores: 610 microseconds of CPU each on the pool, 160 at once; 117
// of the main thread's against 155). So what takes less than a millisecond is done at once.
const zstdAtOnceBytesMax = 128 * 1024

// A request or a revisit is done in the time that it takes to wake a thread (measured: 560 bytes take 17 microseconds with
// a window that is no larger than the input, 28 with zlib's own).
const gzipAtOnceBytesMax = 2 * 1024
const smallGzip = { windowBits: 11, memLevel: 4, chunkSize: gzipAtOnceBytesMax }

/** A crawl has many answers to keep in the same moment. */
const atOnce = new ShortWork(10)

export const realCompressor: Compressor = {
  gzip: async (bytes, level) =>
    bytes.length <= gzipAtOnceBytesMax
      ? atOnce.run(() => gzipSync(bytes, { ...smallGzip, level }))
      : gzipEngines.gzip(bytes, level),
  zstd: async (bytes, level, dictionary) => {
    const options = zstdOptions(bytes, level, dictionary)
    if (bytes.length > zstdAtOnceBytesMax) return zstdOnPool(bytes, options)
    return atOnce.run(() => zstdCompressSync(bytes, options))
  },
}
