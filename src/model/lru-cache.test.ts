import assert from 'node:assert/strict'
import { test } from 'vitest'
import { LruCache } from './lru-cache.ts'

const ofBytes = (bytesMax: number) =>
  new LruCache<string, Buffer>({ bytesMax, sizeOf: ({ length }) => length })

test('values are kept up to their bound, the one used least lately goes first', () => {
  const lately = ofBytes(80)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) lately.set(name, Buffer.alloc(10))
  assert.ok(lately.get('a'))
  lately.set('i', Buffer.alloc(10))
  assert.ok(lately.get('a'))
  assert.equal(lately.get('b'), undefined)
  assert.ok(lately.get('i'))
})

test('one large value does not push out the others', () => {
  const lately = ofBytes(80)
  lately.set('a', Buffer.alloc(1))
  lately.set('large', Buffer.alloc(11))
  assert.equal(lately.get('large'), undefined)
  assert.ok(lately.get('a'))
})

test('what is put again or removed makes way', () => {
  const lately = ofBytes(80)
  for (let time = 0; time < 100; time++) lately.set('a', Buffer.alloc(10, time))
  assert.equal(lately.get('a')![0], 99)
  for (let time = 0; time < 100; time++) {
    lately.set('b', Buffer.alloc(10))
    lately.delete('b')
  }
  assert.equal(lately.get('b'), undefined)
  for (const name of ['c', 'd', 'e', 'f', 'g', 'h', 'i']) lately.set(name, Buffer.alloc(10))
  assert.ok(lately.get('a'), 'the room of what went is free again')
  lately.set('a', Buffer.alloc(11))
  assert.equal(lately.get('a'), undefined, 'what is too large now is not kept as it was')
})

test('no more values are kept than there may be, and looking is using', () => {
  const cache = new LruCache<string, number>({ max: 2 })
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
  ] as const)
    cache.set(key, value)
  assert.equal(cache.get('a'), 1)
  assert.ok(cache.has('b'))
  assert.equal(cache.peek('b'), 2)
  cache.set('c', 3)
  assert.deepEqual(cache.entries(), [
    ['a', 1],
    ['c', 3],
  ])
  for (const [key] of cache.entries()) cache.get(key)
  assert.deepEqual(cache.values(), [1, 3])
  cache.clear()
  assert.equal(cache.size, 0)
})
