import assert from 'node:assert/strict'
import { test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const nowMs = Date.UTC(1994, 10, 6, 8, 49, 0)

test('seconds and all three dates of HTTP are understood', () => {
  assert.equal(retryAfterMs(' 37 ', nowMs), 37_000)
  assert.equal(retryAfterMs('0', nowMs), 0)
  for (const date of [
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
  ]) {
    assert.equal(retryAfterMs(date, nowMs), 37_000, date)
  }
})

test('a number beyond all numbers is a very long time', () => {
  for (const digits of [16, 40, 400]) assert.ok(retryAfterMs('9'.repeat(digits), nowMs)! > 1e15)
})

test('a date that has passed is now', () => {
  assert.equal(retryAfterMs('Sun, 06 Nov 1994 08:00:00 GMT', nowMs), 0)
})

test('anything else makes no sense', () => {
  for (const field of [
    '',
    'soon',
    '-1',
    '1.5',
    '1e3',
    '12 seconds',
    '2024',
    'Sun, 99 Foo 1994 08:49:37 GMT',
  ]) {
    const ms = retryAfterMs(field, nowMs)
    if (field === '2024') assert.equal(ms, 2_024_000)
    else assert.equal(ms, undefined, field)
  }
})
