import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ContentCache } from './content-cache.ts'
import { sha256Digest } from './content-digest.ts'
import type { ContentKey } from './content-key.ts'

const keyOf = (text: string): ContentKey => ({ digest: sha256Digest.of(Buffer.from(text)), overflow: 0 })
const content = (length: number): Uint8Array => new Uint8Array(length)

test('what is read and what is written lately is found, until it is removed', () => {
  const cache = new ContentCache(100_000)
  cache.putRead(keyOf('read'), Buffer.from('one'))
  cache.putWritten(keyOf('written'), Buffer.from('two'))
  assert.equal(Buffer.from(cache.get(keyOf('read'))!).toString(), 'one')
  assert.equal(Buffer.from(cache.get(keyOf('written'))!).toString(), 'two')
  cache.remove(keyOf('read'))
  cache.remove(keyOf('written'))
  assert.equal(cache.get(keyOf('read')), undefined)
  assert.equal(cache.get(keyOf('written')), undefined)
})

test('however much is written, what was read stays', () => {
  const cache = new ContentCache(100_000)
  cache.putRead(keyOf('page'), content(1_000))
  const keys = Array.from({ length: 1_000 }, (_, number) => keyOf(`crawled ${number}`))
  for (const key of keys) cache.putWritten(key, content(1_000))
  assert.ok(cache.get(keyOf('page')))
  const kept = keys.filter((key) => cache.get(key) !== undefined)
  assert.deepEqual(kept, keys.slice(-12), 'the last of an eighth of the room')
})

test('a small part of something larger does not keep the whole of it', () => {
  const cache = new ContentCache(1_000_000)
  const chunk = Buffer.alloc(65_536, 'x')
  cache.putWritten(keyOf('written'), chunk.subarray(100, 5_100))
  cache.putRead(keyOf('read'), chunk.subarray(100, 5_100))
  for (const name of ['written', 'read']) {
    const kept = cache.get(keyOf(name))!
    assert.deepEqual(Buffer.from(kept), chunk.subarray(100, 5_100))
    assert.equal(kept.buffer.byteLength, 5_000)
  }
})
