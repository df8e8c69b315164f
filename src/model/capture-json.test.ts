import assert from 'node:assert/strict'
import { test } from 'vitest'
import { captureJson } from './capture-json.ts'
import { digestOf } from './digest.ts'

const capture = {
  url: 'http://a.example/',
  surt: 'example,a)/',
  capturedAtMs: Date.UTC(2020, 0, 2, 3, 4, 5),
  status: 200,
  mime: 'text/html',
  kind: 'full',
  content: { digest: digestOf('sha256', Buffer.from('x')), overflow: 0 },
  payloadBytes: 1,
  storedBytes: 2,
  recordId: 'id',
} as const

test('a capture is told with both spellings of its time, and its content key or null', () => {
  const told = captureJson(capture)
  assert.deepEqual([told.timestamp, told.capturedAt], ['20200102030405', '2020-01-02T03:04:05.000Z'])
  assert.match(told.content!, /^sha256:[0-9a-z]+$/i)
  const second = captureJson({ ...capture, content: { ...capture.content, overflow: 1 } })
  assert.equal(second.content, `${told.content}.1`)
  assert.equal(captureJson({ ...capture, content: undefined }).content, null)
})
