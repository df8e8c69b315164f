// Every way in which a server can misbehave ends in an outcome with a name, within the limits, and leaves nothing open.

import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../../../model/fixtures/property-tests.ts'
import type { WebFailureCode, WebLimits, WebTruncation } from '../../network/web.ts'
import { behaviours } from '../fixtures/hostile-behaviours.ts'
import { type HostileOrigin, withHostileOrigin } from '../fixtures/hostile-origin.ts'
import { bodyOf, requestOf, type TestWeb, wideLimits, withWeb } from '../fixtures/test-web.ts'
import { properties } from './hostile.fuzz.ts'

type Expected =
  | WebFailureCode
  | { status: number; body: string | number; truncated?: WebTruncation; head?: RegExp }

const ok = (body: string, head?: RegExp): Expected => ({ status: 200, body, ...(head && { head }) })
const cut = (body: string | number, truncated: WebTruncation): Expected => ({ status: 200, body, truncated })

const outcomes: Record<string, Expected> = {
  ok: ok('hello', /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\nContent-Length: 5\r\n\r\n$/),
  'ok-chunked': ok('hello, world', /\r\nTransfer-Encoding: chunked\r\nX-After: 1\r\n\r\n$/),
  'ok-closing': ok('until the end', /^HTTP\/1\.0 200 Fine\r\nX-Case: {2}spaced\t\r\nx-case: again\r\n\r\n$/),
  'not-modified': { status: 304, body: '' },
  'no-content-with-body': { status: 204, body: '' },
  interim: ok('after hints', /^HTTP\/1\.1 200 OK\r\n/),
  'interim-flood': 'malformed-http',
  'unasked-continue': ok('x'),
  'unasked-upgrade': 'malformed-http',

  'close-at-once': 'reset',
  'reset-at-once': 'reset',
  'large-half-head': 'head-too-large',
  'cut-head': 'reset',
  'short-body': cut('half ', 'disconnect'),
  'short-closing-body': cut('half ', 'disconnect'),
  'long-body': ok('body'),
  'reset-body': cut('half ', 'disconnect'),
  'reset-closing-body': cut('half ', 'disconnect'),
  'cut-chunks': cut('hellowo', 'disconnect'),
  'cut-closing-chunks': cut('hellowo', 'disconnect'),
  'half-close': ok('said all'),
  'close-after': ok('kept alive, it said'),

  'endless-header': 'head-too-large',
  'endless-headers': 'head-too-large',
  'many-headers?count=500': 'head-too-large',
  'endless-body': cut(100_000, 'length'),
  'endless-chunks': cut(100_000, 'length'),
  'endless-trailers': cut('x', 'disconnect'),
  'endless-garbage': 'malformed-http',

  garbage: 'malformed-http',
  'http-0.9': 'malformed-http',
  'http-9.9': 'malformed-http',
  'no-status': 'malformed-http',
  'status-0': 'malformed-http',
  'status-99999': 'malformed-http',
  'bare-lf': ok('hi', /^HTTP\/1\.1 200 OK\nContent-Length: 2\n\n$/),
  'nul-in-header': 'malformed-http',
  'folded-header': ok('hi', /\r\nX: a\r\n b\r\n/),
  'space-before-colon': ok('hi'),
  'no-colon': ok('hi', /\r\nnot a header\r\n/),
  'two-lengths': 'malformed-http',
  'same-lengths': ok('hi'),
  'negative-length': 'malformed-http',
  'huge-length': 'malformed-http',
  'length-in-words': 'malformed-http',
  'chunks-and-length': ok('hi'),
  'chunk-size-overflow': cut('', 'unspecified'),
  'chunk-size-in-words': cut('hi', 'unspecified'),
  'chunked-twice': ok('hi'),
  'status-999': { status: 999, body: 'hi' },
  'no-reason': ok('hi', /^HTTP\/1\.1 200\r\n/),
  'latin-1-reason': { status: 404, body: 'hi', head: /^HTTP\/1\.1 404 Introuv\xe9\r\nX: \xe9t\xe9\r\n/ },
  'redirects/1': { status: 302, body: '' },
}

const shortStall: WebLimits = { ...wideLimits, stallMsMax: 200 }
const shortTotal: WebLimits = { ...wideLimits, totalMsMax: 300 }
const slow: Record<string, { limits: WebLimits; expected: Expected }> = {
  silence: { limits: shortStall, expected: 'stalled' },
  'half-head': { limits: shortStall, expected: 'stalled' },
  'half-body': { limits: shortStall, expected: cut('half ', 'time') },
  'slow-head': { limits: shortTotal, expected: 'timeout' },
  'slow-body': { limits: shortTotal, expected: { status: 200, body: Number.NaN, truncated: 'time' } },
  'endless-chunk-size': { limits: shortStall, expected: cut('', 'time') },
  'endless-chunk-extension': { limits: shortStall, expected: cut('', 'time') },
}

async function check(
  { web }: TestWeb,
  origin: HostileOrigin,
  path: string,
  expected: Expected,
  limits: WebLimits = wideLimits,
): Promise<void> {
  const answer = await web.fetch(requestOf(origin.url(path), { limits }))
  if (typeof expected === 'string') {
    assert.equal(answer.outcome === 'failure' && answer.code, expected, JSON.stringify(answer))
    return
  }
  assert(answer.outcome === 'response', JSON.stringify(answer))
  const body = await bodyOf(answer)
  assert.equal(answer.status, expected.status)
  assert.equal(answer.truncated, expected.truncated)
  assert.equal(answer.body.length, body.length)
  if (typeof expected.body === 'string') assert.equal(body.toString('latin1'), expected.body)
  else if (!Number.isNaN(expected.body)) assert.equal(body.length, expected.body)
  if (expected.head !== undefined) assert.match(Buffer.from(answer.head).toString('latin1'), expected.head)
}

const cases = [
  ...Object.entries(outcomes).map(([path, expected]) => ({ path, expected, limits: wideLimits })),
  ...Object.entries(slow).map(([path, { expected, limits }]) => ({ path, expected, limits })),
]

test.each(cases)('a server that does $path', ({ path, expected, limits }) =>
  withHostileOrigin((origin) =>
    withWeb(async (testWeb) => {
      await check(testWeb, origin, path, expected, limits)
      // The next one is not harmed by it, be it on the same connection or another.
      await check(testWeb, origin, 'ok?body=next', ok('next'))
      await testWeb.web.close()
      await origin.deserted()
    }),
  ),
)

test('every misbehaviour is tried', () => {
  const tried = new Set(cases.map(({ path }) => path.split(/[/?]/)[0]))
  const elsewhere = ['ok-large', 'raw', 'bomb', 'redirect-loop', 'redirect-to']
  assert.deepEqual(
    Object.keys(behaviours).filter((name) => !tried.has(name)),
    elsewhere,
  )
})

test('all of them at once harm neither each other nor who behaves', () =>
  withHostileOrigin((origin) =>
    withWeb(async (testWeb) => {
      const limits = { ...wideLimits, totalMsMax: 1_000 }
      const fetches = cases.map(async ({ path }) => {
        const answer = await testWeb.web.fetch(requestOf(origin.url(path), { limits }))
        if (answer.outcome === 'response') await bodyOf(answer)
      })
      const good = cases.map((_, index) => check(testWeb, origin, `ok?body=${index}`, ok(`${index}`)))
      await Promise.all([...fetches, ...good])
      await testWeb.web.close()
      await origin.deserted()
    }),
  ))

describe('of any bytes', () => {
  testProperties(properties, 30)
})
