import assert from 'node:assert/strict'
import { test } from 'vitest'
import { briefUrl, readableUrl } from './readable-url.ts'

test('letters of any script are shown as such', () => {
  assert.equal(
    readableUrl('https://a.example/%D7%A9%D7%9C%D7%95%D7%9D?q=%C3%BC'),
    'https://a.example/שלום?q=ü',
  )
})

test.each([
  ['a right-to-left override', '%E2%80%AE'],
  ['a zero-width space', '%E2%80%8B'],
  ['a division slash, which looks like the path’s', '%E2%88%95'],
  ['a no-break space', '%C2%A0'],
  ['a line separator', '%E2%80%A8'],
  ['bytes that are no text', '%FF%FE'],
  ['half a letter', '%C3'],
  ['ASCII, whatever it stands for', '%2F%3F%23%20%00'],
])('%s stays encoded', (_, encoded) => {
  const url = `https://a.example/x${encoded}y`
  assert.equal(readableUrl(url), url)
})

test('brief is without scheme and a lone slash', () => {
  assert.equal(briefUrl('https://a.example/'), 'a.example')
  assert.equal(briefUrl('http://a.example/b/'), 'a.example/b/')
  assert.equal(briefUrl('http://a.example/?x'), 'a.example/?x')
})
