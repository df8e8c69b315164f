import assert from 'node:assert/strict'
import { test } from 'vitest'
import { decodeContent } from '../../formats/content-coding/content-decoding.ts'
import { parseUrl } from '../../model/url/url.ts'
import { bombBytes } from '../../platform/real/fixtures/hostile-behaviours.ts'
import { type HostileOrigin, withHostileOrigin } from '../../platform/real/fixtures/hostile-origin.ts'
import { type TestWeb, wideLimits, withWeb } from '../../platform/real/fixtures/test-web.ts'
import { AddressGuard } from '../address/address-guard.ts'
import { parseAddressRange } from '../address/address-range.ts'
import { Fetcher, type FetcherSettings } from './fetcher.ts'
import { fetchFollowing } from './following.ts'
import type { Fetched, FetchFailure, FetchOutcome } from './outcome.ts'

const userAgent = 'polyhistor-test (+https://example.org/bot)'
const allow = new AddressGuard([parseAddressRange('127.0.0.0/8')])

function withFetcher(
  body: (fetcher: Fetcher, origin: HostileOrigin, test: TestWeb) => Promise<void>,
  settings: Partial<FetcherSettings> = {},
  certificate?: 'self-signed',
): Promise<void> {
  return withHostileOrigin(
    (origin) =>
      withWeb((testWeb) => {
        const fetcher = new Fetcher(testWeb, { userAgent, allow, limits: wideLimits, ...settings })
        return body(fetcher, origin, testWeb)
      }),
    certificate,
  )
}

function fetched(outcome: FetchOutcome): Fetched {
  assert(outcome.kind !== 'failed', JSON.stringify(outcome))
  return outcome
}

function failed(outcome: FetchOutcome): FetchFailure {
  assert(outcome.kind === 'failed', JSON.stringify(outcome))
  return outcome
}

test('a page comes as a capture that can be kept', () =>
  withFetcher(async (fetcher, origin) => {
    const url = parseUrl(origin.url('ok?body=words'))
    const { status, capture, headers, body, bodyBytes, redirect, validators } = fetched(
      await fetcher.fetch(url),
    )
    assert.deepEqual([status, bodyBytes, redirect, validators], [200, 5, undefined, {}])
    assert.equal(headers.get('content-type'), 'text/plain')
    assert.equal(Buffer.from(body() as Uint8Array).toString(), 'words')
    assert.equal(Buffer.from(capture.request).toString(), origin.requests[0])
    assert.match(origin.requests[0]!, /\r\nUser-Agent: polyhistor-test \(\+https:\/\/example\.org\/bot\)\r\n/)
    assert.match(origin.requests[0]!, /\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n/)
    assert.deepEqual([capture.ipAddress, capture.truncated, capture.url], ['127.0.0.1', undefined, url])
    assert.equal(capture.metadata[0]![0], 'fetchTimeMs')
  }))

test('a large page is a file until it is discarded', () =>
  withFetcher(async (fetcher, origin) => {
    const page = fetched(await fetcher.fetch(parseUrl(origin.url('ok-large?bytes=50000'))))
    const chunks = await Array.fromAsync(page.body() as AsyncIterable<Uint8Array>)
    assert.equal(Buffer.concat(chunks).length, 50_000)
    assert(!(page.capture.block instanceof Uint8Array))
    await page.discard()
  }))

test('a 304 is one only where changes were asked for', () =>
  withFetcher(async (fetcher, origin) => {
    const url = parseUrl(origin.url('not-modified'))
    const asked = fetched(await fetcher.fetch(url, { validators: { etag: '"1"' } }))
    assert.deepEqual([asked.kind, asked.bodyBytes, asked.validators], ['not-modified', 0, { etag: '"1"' }])
    assert.match(origin.requests[0]!, /\r\nIf-None-Match: "1"\r\n/)
    assert.equal(fetched(await fetcher.fetch(url)).kind, 'fetched')
    assert.doesNotMatch(origin.requests[1]!, /If-None-Match/)
  }))

test('what is cut says so', () =>
  withFetcher(async (fetcher, origin) => {
    const page = fetched(await fetcher.fetch(parseUrl(origin.url('short-body'))))
    assert.equal(page.capture.truncated, 'disconnect')
    assert.equal(Buffer.from(page.body() as Uint8Array).toString(), 'half ')
  }))

test('a bomb is fetched small and decoded no further than allowed', () =>
  withFetcher(async (fetcher, origin) => {
    for (const coding of ['gzip', 'br', 'zstd']) {
      const page = fetched(await fetcher.fetch(parseUrl(origin.url(`bomb?coding=${coding}`))))
      assert(page.bodyBytes < bombBytes / 500)
      const { bytes, end } = await decodeContent(page.body(), page.headers.get('Content-Encoding'), 100_000)
      assert.deepEqual([bytes.length, end], [100_000, 'cut'])
      await page.discard()
    }
  }))

test('a redirect is told, not followed, and its target is guarded like any other', () =>
  withFetcher(async (fetcher, origin) => {
    const at = (to: string) => fetcher.fetch(parseUrl(origin.url(`redirect-to?to=${encodeURIComponent(to)}`)))
    assert.equal(fetched(await at('/ok#x')).redirect?.target?.href, origin.url('ok'))
    for (const to of [
      'http://10.0.0.1/',
      'http://[::1]/',
      'http://169.254.169.254/latest/meta-data/',
      'http://0/',
    ]) {
      const target = fetched(await at(to)).redirect!.target!
      assert.equal(failed(await fetcher.fetch(target)).code, 'address-forbidden', to)
    }
    assert.equal(origin.requests.length, 5)
  }))

test('redirects are followed five times where they are, not thousands', () =>
  withFetcher(async (fetcher, origin) => {
    const follow = (path: string) => fetchFollowing((url) => fetcher.fetch(url), parseUrl(origin.url(path)))
    const endless = await follow('redirects/0')
    assert.equal(failed(endless.last).code, 'too-many-redirects')
    assert.equal(origin.requests.length, 6)
    const loop = await follow('redirect-loop?at=a')
    assert.deepEqual([failed(loop.last).code, loop.hops.length], ['redirect-loop', 2])
    const nowhere = await follow('redirect-to?to=mailto:a@b.test')
    assert.deepEqual([failed(nowhere.last).code, nowhere.hops.length], ['bad-location', 1])
    const once = await follow('redirect-to?to=/ok')
    assert.deepEqual([fetched(once.last).status, once.hops.length], [200, 1])
    const refused = await follow('redirect-to?to=http://10.0.0.1/')
    assert.equal(failed(refused.last).code, 'address-forbidden')
  }))

test('a certificate that was not verified is told in the metadata', () =>
  withFetcher(
    async (fetcher, origin) => {
      const page = fetched(await fetcher.fetch(parseUrl(origin.url('ok'))))
      const told = page.capture.metadata.find(([name]) => name === 'tlsProblem')
      assert.match(told?.[1] ?? '', /SELF_SIGNED/)
    },
    { insecure: true },
    'self-signed',
  ))

test('failures keep their code, hint and time', () =>
  withFetcher(async (fetcher, origin, { clock }) => {
    const before = clock.monotonicMs()
    const failure = failed(await fetcher.fetch(parseUrl(origin.url('garbage'))))
    assert.deepEqual([failure.code, failure.retry, failure.address], ['malformed-http', 'never', '127.0.0.1'])
    assert(failure.endedAtMs >= before)
  }))

test('with a session its cookies go to their server, and into no record; a page’s own take their place', () => {
  const cookie = { name: 'me', value: 'secret', domain: '127.0.0.1', path: '/', expires: -1 }
  const more = { httpOnly: true, secure: false, sameSite: 'Lax' } as const
  const session = { cookies: [{ ...cookie, ...more }], origins: [] }
  return withFetcher(
    async (fetcher, origin) => {
      const url = parseUrl(origin.url('ok?body=words'))
      const first = fetched(await fetcher.fetch(url))
      const headers = [['Cookie', 'me=newer']] as const
      const second = fetched(await fetcher.fetch(url, { headers }))
      assert.match(origin.requests[0]!, /\r\nCookie: me=secret\r\n/i)
      assert.match(origin.requests[1]!, /\r\nCookie: me=newer\r\n/i)
      for (const { capture } of [first, second]) {
        const request = Buffer.from(capture.request).toString()
        assert.doesNotMatch(request, /cookie|secret|newer/i)
        assert.match(request, /^GET \/\S+ HTTP\/1\.1\r\n(?:.+\r\n)*\r\n$/)
      }
    },
    { session },
  )
})
