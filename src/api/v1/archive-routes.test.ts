// /api/v1 beyond jobs, on a real store.

import assert from 'node:assert/strict'
import { gunzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import { capturesOfPage } from '../../app/pages/page-captures.ts'
import type { ByteRange } from '../../formats/http/byte-range.ts'
import type { ExportRequest } from '../../model/archive.ts'
import type { TimeSpan } from '../../model/timestamp.ts'
import type { Url } from '../../model/url/url.ts'
import { storeArchive } from '../../network/remote-reads/archive/readable-archive.ts'
import { RealClock } from '../../platform/real/clock.ts'
import type { Capture } from '../../store/capture.ts'
import type { Store } from '../../store/store.ts'
import type { TakedownTarget } from '../../store/takedowns/takedowns.ts'
import { TestApi, testRequest, token } from '../fixtures/test-api.ts'
import { sharedStoreOf, storeOf } from '../fixtures/test-archive.ts'
import { archiveServiceRoutes } from './archive/archive-service-routes.ts'
import { captureRoutes } from './archive/capture-routes.ts'
import { Exports } from './archive/export-routes.ts'

const url = 'http://a.test/page?q=//x'
const captures = [
  { url, at: '2010', body: 'one' },
  { url, at: '2015', body: 'two' },
  { url, at: '2020', body: 'three' },
  { url: 'http://sub.a.test/', at: '2020' },
  { url: 'http://b.test/', at: '2020' },
]
const shared = sharedStoreOf(captures)

function apiOf(store: Store, discard = async () => {}): TestApi {
  const archive = storeArchive(store)
  const service = {
    read: (capture: unknown) => store.read(capture as Capture),
    export: (request: ExportRequest) => archive.export(request),
    pageCaptures: (of: Url, span: TimeSpan) => capturesOfPage(archive, of, span),
    exportFile: async (request: ExportRequest) => {
      const bytes = Buffer.concat(await Array.fromAsync(archive.export(request).chunks))
      return {
        sizeBytes: bytes.length,
        chunks: async function* ({ start, end }: ByteRange) {
          yield bytes.subarray(start, end)
        },
        discard,
      }
    },
    takedowns: () => store.takedowns(),
    takedown: async (target: TakedownTarget, reason: string) => ({
      captures: await store.takedown(target, reason),
      unheard: ['silent'],
    }),
    destroy: async (target: TakedownTarget, reason: string) => ({
      captures: await store.takedown(target, reason, { isNow: true }),
      unheard: [],
    }),
    release: async (target: TakedownTarget) => ({ captures: await store.release(target), isHidden: false }),
    stats: () => store.stat(),
    volumes: async () => (await store.stat()).volumes,
    explain: async () => ({}),
  }
  const exports = new Exports({ service, clock: new RealClock() })
  return new TestApi([
    ...captureRoutes({ archive: store, clock: new RealClock(), service }),
    ...archiveServiceRoutes({ service, whenTakenDown: () => exports.forgetTakenDown() }),
    ...exports.routes(),
  ])
}

const asked = encodeURIComponent(url)

describe('versions', () => {
  const times = async (query: string, headers = {}) => {
    const { text } = await apiOf(shared()).ask(`/api/v1/versions?url=${asked}${query}`, { headers })
    return text
  }

  test('are listed with all that is known of them', async () => {
    const { versions } = JSON.parse(await times(''))
    assert.equal(versions.length, 3)
    const { recordId, storedBytes, ...first } = versions[0]
    assert.match(recordId, /^[0-9a-f-]{36}$/)
    assert.ok(storedBytes > 0)
    assert.deepEqual(first, {
      url,
      surt: 'test,a)/page?q=//x',
      timestamp: '20100101000000',
      capturedAt: '2010-01-01T00:00:00.000Z',
      status: 200,
      mime: 'text/html',
      kind: 'full',
      content: 'sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed',
      payloadBytes: 3,
    })
  })

  test.each([
    ['&reverse=true&limit=1', ['2020']],
    ['&from=2015', ['2015', '2020']],
    ['&to=2015', ['2010', '2015']],
  ])('%s', async (query, expected) => {
    const { versions } = JSON.parse(await times(query))
    assert.deepEqual(
      versions.map(({ timestamp }: { timestamp: string }) => timestamp.slice(0, 4)),
      expected,
    )
  })

  test('come as lines for who asks for them', async () => {
    const lines = (await times('', { accept: 'application/x-ndjson' })).trim().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).timestamp),
      ['20100101000000', '20150101000000', '20200101000000'],
    )
  })
})

describe('captures', () => {
  test.each([
    ['', 5],
    ['site=a.test', 4],
    ['host=a.test', 3],
    ['prefix=http://a.test/pa', 3],
    [`url=${asked}&from=2015`, 2],
  ])('%s: %i', async (query, count) => {
    const { text } = await apiOf(shared()).ask(`/api/v1/captures?${query}`)
    assert.equal(JSON.parse(text).captures.length, count)
  })

  test('come a page at a time, none twice', async () => {
    const api = apiOf(shared())
    const seen: string[] = []
    for (let after = ''; ; ) {
      const page = JSON.parse((await api.ask(`/api/v1/captures?limit=2&after=${after}`)).text)
      seen.push(...page.captures.map(({ recordId }: { recordId: string }) => recordId))
      if (page.next === null) break
      after = page.next
    }
    assert.deepEqual([seen.length, new Set(seen).size], [5, 5])
  })

  test.each([
    ['site=a.test&host=b.test', 'exclude each other'],
    ['from=x', 'timestamp'],
    ['limit=x', 'whole number'],
    ['after=!', 'not a cursor'],
  ])('%s is a 400', async (query, sentence) => {
    const answer = await apiOf(shared()).ask(`/api/v1/captures?${query}`)
    assert.equal(answer.status, 400)
    assert.ok(answer.text.includes(sentence), answer.text)
  })
})

describe('a capture', () => {
  const get = (query: string) => apiOf(shared()).ask(`/api/v1/capture?url=${asked}${query}`)

  test('is given as it came, and nothing in it can run', async () => {
    const answer = await get('')
    const headBytes = Number(answer.headers['polyhistor-head-bytes'])
    assert.match(answer.text.slice(0, headBytes), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/)
    assert.equal(answer.text.slice(headBytes), 'three')
    assert.equal(answer.headers['content-length'], String(answer.bytes.length))
    assert.match(answer.headers['content-security-policy']!, /^sandbox;/)
  })

  test.each([
    ['&at=2011', '20100101000000'],
    ['&at=20190101', '20200101000000'],
    ['&at=20190101&policy=not-newer', '20150101000000'],
    ['&at=2015&policy=not-newer', '20150101000000'],
  ])('%s', async (query, timestamp) => {
    assert.equal((await get(query)).headers['polyhistor-timestamp'], timestamp)
  })

  test('that is not there is a 404', async () => {
    assert.equal((await get('&at=2009&policy=not-newer')).status, 404)
    assert.equal((await apiOf(shared()).ask('/api/v1/capture?url=c.test')).status, 404)
    assert.equal((await get('&policy=newest')).status, 400)
    assert.equal((await apiOf(shared()).ask('/api/v1/capture')).status, 400)
  })
})

describe('an export', () => {
  test('of a page has one version of it with what it needs', async () => {
    const parts = [{ url: 'http://p.test/', at: '2020', body: '<img src=http://q.test/i>' }, ...captures]
    const api = apiOf(await storeOf([...parts, { url: 'http://q.test/i', at: '2020', type: 'image/png' }]))
    const answer = await api.ask('/api/v1/export?format=wacz&page=http://p.test/&at=2019')
    assert.equal(answer.headers['content-disposition'], 'attachment; filename="p.test.wacz"')
    const result = await api.ask(`/api/v1/exports/${answer.headers['polyhistor-export']}`)
    assert.equal(JSON.parse(result.text).exported, 2)
    assert.equal((await api.ask('/api/v1/export?page=http://nothing.test/')).status, 404)
    assert.equal((await api.ask('/api/v1/export?page=http://p.test/&site=p.test')).status, 400)
    const part = { headers: { range: 'bytes=0-9' } }
    assert.equal((await api.ask('/api/v1/export?page=http://p.test/', part)).status, 206)
  })

  test.each([
    ['warc', 'application/warc', 'a.test.warc.gz'],
    ['wacz', 'application/wacz', 'a.test.wacz'],
  ])('as %s is a file of its own, and tells afterwards how it went', async (format, type, name) => {
    const api = apiOf(shared())
    const answer = await api.ask(`/api/v1/export?format=${format}&site=a.test`)
    assert.deepEqual(
      [answer.headers['content-type'], answer.headers['content-disposition']],
      [type, `attachment; filename="${name}"`],
    )
    if (format === 'warc')
      assert.equal(
        gunzipSync(answer.bytes)
          .toString()
          .match(/^WARC-Type: response/gm)?.length,
        4,
      )
    else assert.equal(answer.bytes.subarray(0, 2).toString(), 'PK')
    const result = await api.ask(`/api/v1/exports/${answer.headers['polyhistor-export']}`)
    const { done, exported, failed } = JSON.parse(result.text)
    assert.deepEqual([done, exported, failed], [true, 4, 0])
  })

  test('that nobody reads to its end is known not to be done', async () => {
    const api = apiOf(shared())
    const answer = await api.api.answer(testRequest('/api/v1/export?format=warc'))
    const id = answer.headers.find(([name]) => name === 'Polyhistor-Export')![1]
    const chunks = (answer.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    await chunks.next()
    await chunks.return?.()
    assert.equal(JSON.parse((await api.ask(`/api/v1/exports/${id}`)).text).done, false)
  })

  test('can be read in parts, all of one file', async () => {
    const api = apiOf(shared())
    const path = '/api/v1/export?format=wacz&site=a.test'
    const part = (range: string) => api.ask(path, { headers: { range } })
    const end = await part('bytes=-22')
    assert.equal(end.status, 206)
    assert.equal(end.bytes.subarray(0, 4).toString('latin1'), 'PK\x05\x06')
    const size = Number(end.headers['content-range']!.split('/')[1])
    const [first, second] = [await part('bytes=0-999'), await part('bytes=1000-')]
    assert.deepEqual([first.headers['content-length'], first.headers.etag], ['1000', end.headers.etag])
    const whole = Buffer.concat([first.bytes, second.bytes])
    assert.equal(whole.length, size)
    assert.deepEqual(whole.subarray(-22), end.bytes)
    assert.equal((await part(`bytes=${size}-`)).status, 416)
  })

  test('that is read in parts is made anew when five others were', async () => {
    const api = apiOf(shared())
    const tag = async (title: string) =>
      (await api.ask(`/api/v1/export?site=a.test&title=${title}`, { headers: { range: 'bytes=0-0' } }))
        .headers.etag
    const before = await tag('mine')
    assert.equal(await tag('mine'), before)
    for (const title of ['a', 'b', 'c', 'd', 'e']) await tag(title)
    assert.notEqual(await tag('mine'), before)
  })

  test('knows its formats', async () => {
    assert.equal((await apiOf(shared()).ask('/api/v1/export?format=zip')).status, 400)
    assert.equal((await apiOf(shared()).ask('/api/v1/exports/77')).status, 404)
  })
})

describe('takedowns', () => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = (api: TestApi, body: unknown) =>
    api.ask('/api/v1/takedowns', { method: 'POST', headers, body: JSON.stringify(body) })

  test('hide at once', async () => {
    const api = apiOf(await storeOf(captures))
    const done = await post(api, { site: 'a.test', reason: 'asked for' })
    assert.deepEqual([done.status, JSON.parse(done.text).captures], [201, 4])
    assert.equal((await api.ask(`/api/v1/versions?url=${asked}`)).status, 451)
    assert.equal((await api.ask(`/api/v1/capture?url=${asked}`)).status, 451)
    const { takedowns } = JSON.parse((await api.ask('/api/v1/takedowns')).text)
    assert.deepEqual([takedowns[0].site, takedowns[0].reason], ['a.test', 'asked for'])
  })

  test('are taken back', async () => {
    const api = apiOf(await storeOf(captures, { takedownUndoMs: 60_000 }))
    const release = (body: unknown) =>
      api.ask('/api/v1/takedowns/release', { method: 'POST', headers, body: JSON.stringify(body) })
    await post(api, { site: 'a.test' })
    const { takedowns } = JSON.parse((await api.ask('/api/v1/takedowns')).text)
    assert.equal(Date.parse(takedowns[0].until) - Date.parse(takedowns[0].at), 60_000)
    const { status, text } = await release({ site: 'a.test' })
    assert.deepEqual([status, JSON.parse(text).captures], [200, 4])
    assert.equal((await api.ask(`/api/v1/capture?url=${asked}`)).status, 200)
    assert.equal((await release({ site: 'a.test' })).status, 404)
    assert.equal((await release({ kind: 'all' })).status, 400)
    const destroyed = await api.ask('/api/v1/takedowns/destroy', {
      method: 'POST',
      headers,
      body: '{"site":"a.test"}',
    })
    assert.deepEqual([destroyed.status, JSON.parse(destroyed.text).captures], [201, 4])
    assert.equal((await release({ site: 'a.test' })).status, 409)
  })

  test('hide also in a file that was made before and is read in parts', async () => {
    const store = await storeOf(captures)
    let discarded = 0
    const api = apiOf(store, async () => {
      discarded++
    })
    const size = async () => {
      const answer = await api.ask('/api/v1/export?format=warc', { headers: { range: 'bytes=0-0' } })
      return Number(answer.headers['content-range']!.split('/')[1])
    }
    const whole = await size()
    assert.deepEqual([await size(), discarded], [whole, 0])
    await post(api, { url: 'http://b.test/' })
    assert.equal(discarded, 1, 'its bytes go at once')
    const less = await size()
    assert.ok(less < whole)
    // As another peer may ask for.
    await store.takedown({ kind: 'site', site: 'a.test' })
    assert.ok((await size()) < less)
  })

  test.each([
    {},
    [],
    null,
    { url: 'a.test', site: 'b.test' },
    { host: 'a.test' },
    { url: 7 },
    { site: 'sub.a.test' },
  ])('%j is a 400', async (body) => {
    assert.equal((await post(apiOf(shared()), body)).status, 400)
  })

  test('need the token, as does what only the owner should see', async () => {
    const api = apiOf(shared())
    for (const path of ['', '/release', '/destroy'])
      assert.equal((await api.ask(`/api/v1/takedowns${path}`, { method: 'POST', body: '{}' })).status, 401)
    for (const target of ['/api/v1/volumes', '/api/v1/explain?url=a.test']) {
      assert.equal((await api.ask(target)).status, 401)
      assert.equal((await api.ask(target, { headers })).status, 200)
    }
    assert.equal(JSON.parse((await api.ask('/api/v1/stats')).text).captures, 5)
  })
})
