import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { contentOf, payloadAtEnd } from './payload.ts'
import { parseRecord } from './reading/record-decoding.ts'

const http = 'HTTP/1.1 200 OK\r\nServer: x\r\n\r\n'

function recordOf(block: string, type = 'application/http; msgtype=response', lineEnd = '\r\n'): Buffer {
  const head = [
    'WARC/1.1',
    'WARC-Type: response',
    'WARC-Record-ID: <urn:uuid:1>',
    'WARC-Date: 2024-01-01T00:00:00Z',
    `Content-Type: ${type}`,
    `Content-Length: ${block.length}`,
  ]
  return Buffer.from(`${head.join(lineEnd)}${lineEnd}${lineEnd}${block}\r\n\r\n`)
}

describe('a payload at the end of its record', () => {
  const records = {
    'of an answer': [recordOf(`${http}body`), 'body'],
    'of an answer whose lines end in LF': [recordOf('HTTP/1.1 200 OK\nA: b\n\nbody'), 'body'],
    'that is all of the block': [recordOf('body', 'text/plain'), 'body'],
    'after a head whose lines end in LF': [recordOf('body', 'text/plain', '\n'), 'body'],
    'of nothing': [recordOf(http), ''],
    'that looks like another head': [recordOf(`${http}A: b\r\n\r\nc`), 'A: b\r\n\r\nc'],
  } as const
  for (const [name, [record, payload]] of Object.entries(records)) {
    test(`${name} is the one that reading the record gives`, () => {
      assert.equal(payloadAtEnd(record, payload.length)?.toString(), payload)
      assert.equal(Buffer.from(contentOf(parseRecord(record)).payload).toString(), payload)
    })
  }

  test('is not looked for where it cannot be', () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n'
    assert.equal(payloadAtEnd(recordOf(chunked), 4), undefined)
    const record = recordOf(`${http}body`)
    for (const sizeBytes of [3, 5, record.length - 4, record.length, 10_000])
      assert.equal(payloadAtEnd(record, sizeBytes), undefined, String(sizeBytes))
    assert.equal(payloadAtEnd(record.subarray(0, -1), 4), undefined)
    assert.equal(payloadAtEnd(Buffer.alloc(0), 0), undefined)
  })
})
