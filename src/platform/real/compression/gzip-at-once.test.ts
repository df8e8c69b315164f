import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { test } from 'vitest'
import { gzipAtOnce } from './gzip-at-once.ts'

test('gzip at once gives members that read back, the same every time, in parts or not', () => {
  const inputs = [0, 1, 500, 2_048, 2_049, 19_000, 131_072, 200_000].flatMap((length) => [
    randomBytes(length),
    Buffer.alloc(length, 'words '),
  ])
  for (const level of [0, 4, 9]) {
    const members = inputs.map((bytes) => gzipAtOnce(bytes, level))
    for (const [place, bytes] of inputs.entries()) {
      assert.ok(gunzipSync(members[place]!).equals(bytes))
      const parts = [bytes.subarray(0, 100), bytes.subarray(100)]
      assert.deepEqual(gzipAtOnce(parts, level), members[place])
    }
  }
})
