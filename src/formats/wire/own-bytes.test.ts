import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ownBytes } from './own-bytes.ts'

test('a small part of something larger does not keep the whole of it', () => {
  const whole = Buffer.alloc(65_536, 'x')
  const part = whole.subarray(100, 5_100)
  const own = ownBytes(part)
  assert.deepEqual(Buffer.from(own), part)
  assert.equal(own.buffer.byteLength, 5_000)
  assert.equal(ownBytes(whole.subarray(0, 0)).buffer.byteLength, 0)
})

test('what is most of it is not copied', () => {
  const part = Buffer.alloc(65_536).subarray(1_000)
  assert.equal(ownBytes(part), part)
})
