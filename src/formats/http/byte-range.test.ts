import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseByteRange, sliceOf } from './byte-range.ts'

test.each([
  ['bytes=0-9', { start: 0, end: 10 }],
  ['bytes=90-', { start: 90, end: 100 }],
  ['bytes=90-200', { start: 90, end: 100 }],
  ['bytes=-5', { start: 95, end: 100 }],
  ['bytes=-500', { start: 0, end: 100 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  // Several, a wrong order, another unit: the whole is the answer.
  ['bytes=0-1,5-6', undefined],
  ['bytes=9-0', undefined],
  ['bytes=-', undefined],
  ['lines=1-2', undefined],
  [undefined, undefined],
])('%s of 100 bytes', (header, expected) => {
  assert.deepEqual(parseByteRange(header, 100), expected)
})

test('a slice of what flows is the same wherever the pieces part', async () => {
  const bytes = Buffer.from(Array.from({ length: 100 }, (_, i) => i))
  for (const size of [1, 7, 30, 100]) {
    const pieces = async function* () {
      for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size)
    }
    const got: Uint8Array[] = []
    for await (const piece of sliceOf(pieces(), { start: 13, end: 77 })) got.push(piece)
    assert.deepEqual(Buffer.concat(got), bytes.subarray(13, 77))
  }
})
