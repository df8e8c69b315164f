// Compression on Node's thread pool, so that the main thread goes on and several records are compressed at once; but for
// what is done sooner than handed over.

import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import { type Compressor, joined, zstdOptions } from '../../compressor.ts'
import { LoneWork } from '../threads/lone-work.ts'
import { ShortWork } from '../threads/short-work.ts'
import { gzipAtOnce, smallBytesMax } from './gzip-at-once.ts'
import { GzipEngines } from './gzip-engines.ts'
import { lengthOf } from './joining-memory.ts'
import { zstdAtOnce } from './zstd-at-once.ts'

const gzipEngines = new GzipEngines()
const zstdOnPool = promisify<Uint8Array, object, Buffer>(zstdCompress)

// On the pool a zstd context of megabytes is made for every call. Made and thrown away by turns between threads it costs
// several times what the compression does (measured: pages of 16 kB, 2 cores: 610 microseconds of CPU each on the pool; 117
// of the main thread's, about what it takes at once). So what takes less than a millisecond is done at once.
const zstdAtOnceBytesMax = 128 * 1024
/** From this level on it takes several times as long for each byte: a batch of links of 24 kB 10 ms, on the pool as at once. */
const slowLevel = 16
const slowAtOnceBytesMax = 8 * 1024

/** A crawl has many answers to keep in the same moment. */
const atOnce = new ShortWork(10)

/** Half a millisecond's work. */
const loneBytesMax = 48 * 1024
const lone = new LoneWork()

export const realCompressor: Compressor = {
  gzip: (bytes, level) => {
    const parts = bytes instanceof Uint8Array ? [bytes] : bytes
    const length = lengthOf(parts)
    const here = () => gzipAtOnce(bytes, level)
    const byThread = () => gzipEngines.gzip(parts, level)
    // A request or a revisit is done in the time that it takes to wake a thread.
    if (length <= smallBytesMax) return atOnce.run(here)
    return length <= loneBytesMax ? lone.run(here, byThread) : byThread()
  },
  zstd: async (bytes, level, dictionary) => {
    const length = lengthOf(bytes)
    if (length > (level < slowLevel ? zstdAtOnceBytesMax : slowAtOnceBytesMax))
      return zstdOnPool(joined(bytes), zstdOptions(level, dictionary, length))
    return atOnce.run(() => zstdAtOnce(bytes, level, dictionary))
  },
}
