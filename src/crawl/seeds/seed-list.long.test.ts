import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { test } from 'vitest'
import { readSeedList } from './seed-list.ts'

test('a file made to take all memory is refused, and of very many URLs those are taken that a job may have', () => {
  assert.throws(() => readSeedList(gzipSync(Buffer.alloc(65 * 1024 * 1024, 0x20))), /too large/)
  const many = Array.from({ length: 100_010 }, (_, index) => `http://a.test/${index}`).join('\n')
  const { urls, skipped } = readSeedList(Buffer.from(many))
  assert.deepEqual([urls.length, skipped], [100_000, 10])
})
