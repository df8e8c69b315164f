import assert from 'node:assert/strict'
import { test } from 'vitest'
import { AddressCache } from './address-cache.ts'
import { ReplayError } from './replay-error.ts'

test('an address is taken apart once, a bad one is refused every time, and there is a bound', () => {
  const cache = new AddressCache()
  const first = cache.parse('/web/2020mp_/http://a.org/')
  assert.equal(cache.parse('/web/2020mp_/http://a.org/'), first)
  for (let time = 0; time < 2; time++) assert.throws(() => cache.parse('/web/2020/'), ReplayError)
  for (let number = 0; number < 10_000; number++) cache.parse(`/web/2020mp_/http://a.org/${number}`)
  assert.notEqual(cache.parse('/web/2020mp_/http://a.org/'), first)
})
