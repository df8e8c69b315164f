import assert from 'node:assert/strict'
import { test } from 'vitest'
import { decodeText, encodeText } from './document-text.ts'

const page = {
  href: 'https://a.test/',
  title: 'Élan vital',
  description: '',
  body: 'A word. '.repeat(20_000),
  language: 'en',
  type: 'html',
}

test('what is shown of a document comes back as it was', () => {
  assert.deepEqual(decodeText(encodeText(page)), page)
  assert.deepEqual(decodeText(encodeText({ ...page, body: '' })), { ...page, body: '' })
})

test('it goes from thread to thread without the room that compression took', () => {
  const bytes = encodeText(page)
  assert.equal(bytes.buffer.byteLength, bytes.length)
})
