// Requests that send something: over HTTP/1.1 and HTTP/2, on connections of their own.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'vitest'
import { testAuthority } from '../fixtures/hostile-origin.ts'
import { withHttp2Origin } from '../fixtures/http2-origin.ts'
import { bodyOf, responseTo, withWeb } from '../fixtures/test-web.ts'

async function withEcho(use: (url: string, connections: () => number) => Promise<void>): Promise<void> {
  let connections = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    response.end(`${request.method} ${request.headers['content-length'] ?? '-'} ${body}`)
  }).on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, () => connections)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

test('method and body are sent, and told with the request', () =>
  withEcho((url) =>
    withWeb(async ({ web }) => {
      const sent = { method: 'POST', body: Buffer.from('a=1'), headers: [['Content-Type', 'x/y']] as const }
      const response = await responseTo(web, url, sent)
      assert.equal((await bodyOf(response)).toString(), 'POST 3 a=1')
      assert.match(
        Buffer.from(response.request).toString(),
        /^POST \/ HTTP\/1\.1\r\n[\s\S]*Content-Type: x\/y\r\ncontent-length: 3\r\n\r\na=1$/,
      )
    }),
  ))

test('what is sent goes on a connection of its own, so that no closed one makes it go twice; GETs share', () =>
  withEcho((url, connections) =>
    withWeb(async ({ web }) => {
      for (const _ of [1, 2]) await responseTo(web, url)
      assert.equal(connections(), 1)
      for (const _ of [1, 2]) await responseTo(web, url, { method: 'POST', body: Buffer.from('x') })
      assert.equal(connections(), 3)
    }),
  ))

test('the answer to HEAD has no body, whatever length it says; the connection serves on', () =>
  withEcho((url) =>
    withWeb(async ({ web }) => {
      const response = await responseTo(web, url, { method: 'HEAD' })
      assert.deepEqual([response.status, response.truncated, response.body.length], [200, undefined, 0])
      assert.equal((await bodyOf(await responseTo(web, url))).toString(), 'GET - ')
    }),
  ))

test('over HTTP/2 too', () => {
  return withHttp2Origin((url) =>
    withWeb(
      async ({ web }) => {
        const response = await responseTo(web, url('ok'), { method: 'POST', body: Buffer.from('a=1') })
        assert.deepEqual([response.status, response.protocols[0]], [200, 'h2'])
        assert.match(Buffer.from(response.request).toString(), /^POST \/ok HTTP[\s\S]*\r\n\r\na=1$/)
      },
      { authorities: [testAuthority] },
    ),
  )
})
