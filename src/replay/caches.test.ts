import assert from 'node:assert/strict'
import { test } from 'vitest'
import { AddressCache } from './address-cache.ts'
import { AnswerCache, type MadeAnswer } from './answer-cache.ts'
import { ReplayError } from './replay-error.ts'

function made(bytes: number): MadeAnswer {
  const body = Buffer.alloc(bytes)
  return {
    content: { status: 200, headers: [], body, sizeBytes: bytes, entityTag: '"x"' },
    answer: { status: 200, headers: [], body },
  }
}

test('answers are kept up to their bound, the one used least lately goes first', () => {
  const cache = new AnswerCache(100_000)
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) cache.put(key, made(8_000))
  assert.ok(cache.get('a'))
  cache.put('i', made(8_000))
  assert.ok(cache.get('a'))
  assert.equal(cache.get('b'), undefined)
  assert.ok(cache.get('i'))
})

test('one large answer does not push out the others', () => {
  const cache = new AnswerCache(100_000)
  cache.put('a', made(1_000))
  cache.put('large', made(50_000))
  assert.equal(cache.get('large'), undefined)
  assert.ok(cache.get('a'))
})

test('an address is taken apart once, a bad one is refused every time, and there is a bound', () => {
  const cache = new AddressCache()
  const first = cache.parse('/web/2020mp_/http://a.org/')
  assert.equal(cache.parse('/web/2020mp_/http://a.org/'), first)
  for (let time = 0; time < 2; time++) assert.throws(() => cache.parse('/web/2020/'), ReplayError)
  for (let number = 0; number < 10_000; number++) cache.parse(`/web/2020mp_/http://a.org/${number}`)
  assert.notEqual(cache.parse('/web/2020mp_/http://a.org/'), first)
})
