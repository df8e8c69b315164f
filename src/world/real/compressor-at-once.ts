// Compression in the thread that asks, for threads that have nothing else to do.

import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type Compressor, zstdOptions } from '../compressor.ts'

/** With a window no larger than the input, zlib has less to set up. */
const smallBytesMax = 2 * 1024
const smallGzip = { windowBits: 11, memLevel: 4, chunkSize: smallBytesMax }

export const compressorAtOnce: Compressor = {
  gzip: async (bytes, level) => {
    const whole = bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes)
    return gzipSync(whole, whole.length <= smallBytesMax ? { ...smallGzip, level } : { level })
  },
  zstd: async (bytes, level, dictionary) => zstdCompressSync(bytes, zstdOptions(bytes, level, dictionary)),
}
