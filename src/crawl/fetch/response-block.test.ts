import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseHttpHead } from '../../formats/http/http-message.ts'
import { contentOf } from '../../formats/warc/payload.ts'
import { response } from '../../formats/warc/record-builder.ts'
import { digestOf } from '../../model/digest.ts'
import type { WebBody } from '../../platform/network/web.ts'
import { blockOf } from './response-block.ts'

const memory = (...parts: string[]): WebBody => {
  const bytes = parts.map((part) => Buffer.from(part))
  return { kind: 'memory', length: Buffer.concat(bytes).length, parts: bytes }
}

test('head and body stand in the block as they came', () => {
  const head = Buffer.from('HTTP/1.0 200 \xe9t\xe9\r\nX:  a\t\r\nx: b\r\nContent-Length: 7\r\n\r\n', 'latin1')
  const { block, headBytes } = blockOf({ head, body: memory('hel', 'lo') })
  assert(block instanceof Uint8Array)
  assert.equal(headBytes, head.length)
  assert.equal(Buffer.from(block).toString('latin1'), `${head.toString('latin1')}hello`)
  // Nothing else lies in its memory, which is handed over with it.
  assert.equal(block.buffer.byteLength, block.byteLength)
})

test('Transfer-Encoding is renamed, so that a body that looks like chunks is not decoded again', () => {
  const head = Buffer.from('HTTP/1.1 200 OK\r\nA: Transfer-Encoding: x\r\ntransfer-encoding: chunked\r\n\r\n')
  const body = '5\r\nhello\r\n0\r\n\r\n'
  const { block, headBytes } = blockOf({ head, body: memory(body) })
  assert(block instanceof Uint8Array)
  const { headers } = parseHttpHead(block)!
  assert.equal(headers.get('X-Orig-Transfer-Encoding'), 'chunked')
  assert.equal(headers.has('Transfer-Encoding'), false)
  assert.equal(headers.get('A'), 'Transfer-Encoding: x')
  const record = response({
    id: crypto.randomUUID(),
    date: '2024-01-01T00:00:00Z',
    targetUri: 'http://a.test/',
    block,
  })
  assert.equal(Buffer.from(contentOf(record).payload).toString(), body)
  assert.equal(Buffer.from(block.subarray(headBytes)).toString(), body)
})

test('a head without its empty line gets one', () => {
  const { block, headBytes } = blockOf({ head: Buffer.from('HTTP/1.1 200 OK\r\nA: b'), body: memory('C: d') })
  assert.equal(Buffer.from((block as Uint8Array).subarray(headBytes)).toString(), 'C: d')
  assert.equal(parseHttpHead(block as Uint8Array)!.headers.size, 1)
})

test('a spooled body stays where it is', async () => {
  const bytes = Buffer.from('much')
  const body: WebBody = {
    kind: 'spooled',
    length: 4,
    digest: digestOf('sha256', bytes),
    async *chunks() {
      yield bytes
    },
    remove: async () => {},
  }
  const head = Buffer.from('HTTP/1.1 200 OK\r\n\r\n')
  const { block } = blockOf({ head, body })
  assert(!(block instanceof Uint8Array))
  assert.deepEqual([block.length, block.payloadBytes, block.payloadDigest], [head.length + 4, 4, body.digest])
  for (let round = 0; round < 2; round++) {
    assert.equal(
      Buffer.concat(await Array.fromAsync(block.chunks())).toString(),
      'HTTP/1.1 200 OK\r\n\r\nmuch',
    )
  }
})
