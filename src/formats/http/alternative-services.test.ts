import assert from 'node:assert/strict'
import { test } from 'vitest'
import { offeredProtocols } from './alternative-services.ts'

test.each([
  ['h3=":443"; ma=86400', ['h3']],
  ['h3=":443"; ma=86400, h3-29=":443"; ma=86400,h2="alt.example:443"', ['h3', 'h3-29', 'h2']],
  ['h2="a.example:443", h3=":443"; persist=1, h3=":8443"', ['h2', 'h3']],
  ['w%3Dx%3Ay="new.example:443"', []],
  ['http%2F1.1=":80"; x=", h3=\\"', []],
  ['clear', []],
  ['', []],
  ['h3', []],
  ['%%%=":1"', []],
  [undefined, []],
])('%s', (header, protocols) => {
  assert.deepEqual(offeredProtocols(header), protocols)
})

test('a header made to be slow is read in no time', () => {
  for (const piece of ['h3=";', 'h3=x;a', 'h3=":443";;;;', ',;='])
    assert.ok(offeredProtocols(piece.repeat(5_000)).length <= 8)
})
