import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { test } from 'vitest'
import { zstdOptions } from '../../compressor.ts'
import { zstdAtOnce } from './zstd-at-once.ts'

const inputs = [0, 1, 500, 2_049, 19_000, 131_072, 200_000].flatMap((length) => [
  randomBytes(length),
  Buffer.alloc(length, 'words and words '),
])

test('zstd at once gives what the one-shot function gives, whatever was compressed before', () => {
  const dictionaries = [undefined, Buffer.from('words '.repeat(2_000)), randomBytes(16_000)]
  for (let round = 0; round < 3; round++) {
    for (const dictionary of dictionaries) {
      for (const level of [1, 3, 9]) {
        for (const bytes of inputs) {
          const frame = zstdAtOnce(bytes, level, dictionary)
          assert.ok(frame.equals(zstdCompressSync(bytes, zstdOptions(level, dictionary, bytes.length))))
          assert.ok(zstdDecompressSync(frame, dictionary && { dictionary }).equals(bytes))
        }
      }
    }
  }
})

test('what comes out is not changed by what is compressed next', () => {
  const first = zstdAtOnce(Buffer.from('first '.repeat(100)), 3)
  zstdAtOnce(randomBytes(5_000), 3)
  assert.equal(zstdDecompressSync(first).toString(), 'first '.repeat(100))
})
