// Bodies of any bytes in any coding, torn and flipped.

import assert from 'node:assert/strict'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { decodeContent } from './content-decoding.ts'

const coders = {
  gzip: gzipSync,
  deflate: deflateSync,
  'deflate-raw': deflateRawSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
} as const
const coding = fc.constantFrom(...(Object.keys(coders) as (keyof typeof coders)[]))
const bytes = fc.uint8Array({ maxLength: 2_000 })

export const properties = [
  {
    name: 'what was encoded is decoded, cut at the limit',
    property: fc.asyncProperty(bytes, coding, fc.nat(2_000), async (content, name, bytesMax) => {
      const encoded = coders[name](content)
      // Of raw deflate only what cannot be taken for zlib: nobody can tell those apart.
      if (name === 'deflate-raw' && (encoded[0]! & 0x0f) === 0x08) return
      const limit = Math.max(bytesMax, encoded.length)
      const decoded = await decodeContent(encoded, name.replace('-raw', ''), limit)
      assert.equal(decoded.end, content.length > limit ? 'cut' : 'whole')
      assert.deepEqual(Buffer.from(decoded.bytes), Buffer.from(content.subarray(0, limit)))
    }),
  },
  {
    name: 'bytes of any kind end within the limit',
    property: fc.asyncProperty(bytes, coding, fc.nat(500), async (content, name, bytesMax) => {
      const decoded = await decodeContent(content, name.replace('-raw', ''), bytesMax)
      assert(decoded.bytes.length <= bytesMax)
    }),
  },
]
