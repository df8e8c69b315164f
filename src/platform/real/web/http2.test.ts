// HTTP/2: told as HTTP/1.1 text, and as safe from hostile servers.

import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { WebFailureCode, WebTruncation } from '../../network/web.ts'
import { testAuthority } from '../fixtures/hostile-origin.ts'
import { http2Behaviours, withHttp2Origin } from '../fixtures/http2-origin.ts'
import { bodyOf, requestOf, responseTo, wideLimits, withWeb } from '../fixtures/test-web.ts'

const trusting = { authorities: [testAuthority] }

test('a response is told as HTTP/1.1 text, bytes and all', () =>
  withHttp2Origin((url) =>
    withWeb(async ({ web }) => {
      const response = await responseTo(web, url('ok/a?b'))
      assert.deepEqual(response.protocols, ['h2', 'tls/1.3'])
      const head = Buffer.from(response.head).toString('latin1')
      assert.match(
        head,
        /^HTTP\/1\.1 200 \r\ncontent-type: text\/plain\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n/,
      )
      assert.match(head, /\r\nx-word: \xe9t\xe9\r\n/)
      assert(head.endsWith('\r\n\r\n'))
      assert.equal((await bodyOf(response)).toString(), 'hello')
      assert.match(
        Buffer.from(response.request).toString(),
        /^GET \/ok\/a\?b HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/,
      )
    }, trusting),
  ))

test('fetches one after the other share a connection', () =>
  withHttp2Origin((url, server) =>
    withWeb(async ({ web }) => {
      let sessions = 0
      server.on('session', () => sessions++)
      for (let round = 0; round < 20; round++) await responseTo(web, url('ok'))
      assert.equal(sessions, 1)
    }, trusting),
  ))

type Expected =
  | readonly WebFailureCode[]
  | { status: number; body: string | number; truncated?: WebTruncation }

const half = { status: 200, body: 'half ', truncated: 'disconnect' } as const
const outcomes: Record<string, Expected> = {
  ok: { status: 200, body: 'hello' },
  'not-modified': { status: 304, body: '' },
  interim: { status: 200, body: 'after hints' },
  trailers: { status: 200, body: 'with trailers' },
  silence: ['stalled'],
  'half-body': { status: 200, body: 'half ', truncated: 'time' },
  'endless-body': { status: 200, body: 100_000, truncated: 'length' },
  'many-headers': ['head-too-large'],
  'interim-flood': ['malformed-http'],
  'reset-stream': ['reset', 'malformed-http'],
  'refuse-stream': ['reset', 'malformed-http'],
  'cancel-stream': ['reset'],
  'reset-body': half,
  'short-body': half,
  'long-body': { status: 200, body: '', truncated: 'unspecified' },
  goaway: ['stalled'],
  'goaway-in-anger': ['reset', 'malformed-http'],
  'goaway-in-body': half,
  'close-at-once': ['reset'],
  'close-in-body': half,
}

const stalling = new Set(['silence', 'half-body', 'goaway'])

test.each(Object.entries(outcomes))('a server that does %s', (path, expected) =>
  withHttp2Origin((url) =>
    withWeb(async ({ web }) => {
      // Only who is to be given up is waited for so briefly.
      const limits = stalling.has(path) ? { ...wideLimits, stallMsMax: 200 } : wideLimits
      for (let round = 0; round < 2; round++) {
        const answer = await web.fetch(requestOf(url(path), { limits }))
        if (answer.outcome === 'failure') {
          assert(Array.isArray(expected) && expected.includes(answer.code), JSON.stringify(answer))
        } else {
          assert('status' in expected, JSON.stringify(answer))
          const body = await bodyOf(answer)
          const { status, truncated } = answer
          const told = typeof expected.body === 'string' ? body.toString() : body.length
          assert.deepEqual({ status, truncated, body: told }, { truncated: undefined, ...expected })
        }
        // The next one is not harmed by it.
        await responseTo(web, url('ok'))
      }
    }, trusting),
  ),
)

test('every misbehaviour is tried', () => {
  assert.deepEqual(Object.keys(http2Behaviours), Object.keys(outcomes))
})
