import assert from 'node:assert/strict'
import { test } from 'vitest'
import { UsedLately } from './used-lately.ts'

const ofBytes = (bytesMax: number) => new UsedLately<Buffer>(bytesMax, ({ length }) => length)

test('values are kept up to their bound, the one used least lately goes first', () => {
  const lately = ofBytes(80)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) lately.put(name, Buffer.alloc(10))
  assert.ok(lately.get('a'))
  lately.put('i', Buffer.alloc(10))
  assert.ok(lately.get('a'))
  assert.equal(lately.get('b'), undefined)
  assert.ok(lately.get('i'))
})

test('one large value does not push out the others', () => {
  const lately = ofBytes(80)
  lately.put('a', Buffer.alloc(1))
  lately.put('large', Buffer.alloc(11))
  assert.equal(lately.get('large'), undefined)
  assert.ok(lately.get('a'))
})

test('what is put again or removed makes way', () => {
  const lately = ofBytes(80)
  for (let time = 0; time < 100; time++) lately.put('a', Buffer.alloc(10, time))
  assert.equal(lately.get('a')![0], 99)
  for (let time = 0; time < 100; time++) {
    lately.put('b', Buffer.alloc(10))
    lately.remove('b')
  }
  assert.equal(lately.get('b'), undefined)
  for (const name of ['c', 'd', 'e', 'f', 'g', 'h', 'i']) lately.put(name, Buffer.alloc(10))
  assert.ok(lately.get('a'), 'the room of what went is free again')
  lately.put('a', Buffer.alloc(11))
  assert.equal(lately.get('a'), undefined, 'what is too large now is not kept as it was')
})
