import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PolyhistorError } from '../errors.ts'
import { listRoute, parseComparing, parseReading, versionRoute } from './address.ts'
import { calendarPath, comparePath, listPath, prefixPath, versionPath } from './markup/links.ts'

const url = 'https://example.com/a/../b//c?x=1&y=%2F*z?'
const href = 'https://example.com/b//c?x=1&y=%2F*z?'

describe('addresses of calendars', () => {
  test('the URL stays as it is, query and all', () => {
    const reading = parseReading(`/web/*/${url}`)
    assert.equal(reading.kind, 'calendar')
    assert.equal(reading.url.href, href)
  })

  test.each([
    ['', undefined, undefined],
    ['2020', '2020-01-01', '2021-01-01'],
    ['202002', '2020-02-01', '2020-03-01'],
    ['20200229', '2020-02-29', '2020-03-01'],
    ['2009-2015', '2009-01-01', '2016-01-01'],
    ['-2015', undefined, '2016-01-01'],
    ['2009-', '2009-01-01', undefined],
    ['20200101120000-20200101120500', '2020-01-01T12:00:00Z', '2020-01-01T12:05:01Z'],
  ])('the span "%s"', (written, from, to) => {
    const reading = parseReading(`/web/${written}*/http://a.example/`)
    assert(reading.kind === 'calendar')
    const { fromMs, toMs } = reading.span
    assert.deepEqual([fromMs, toMs], [from && Date.parse(from), to && Date.parse(to)])
  })

  test('a scheme may be left out or folded by a proxy', () => {
    assert.equal(parseReading('/web/*/example.com/a').url.href, 'http://example.com/a')
    assert.equal(parseReading('/web/*/https:/example.com/a').url.href, 'https://example.com/a')
  })
})

describe('addresses of lists', () => {
  test('a star at the end asks for all that starts alike', () => {
    const reading = parseReading(`/web/2020*/${url}*`)
    assert(reading.kind === 'prefix')
    assert.deepEqual([reading.url.href, reading.span.written, reading.after], [href, '2020', undefined])
  })

  test('what we link to is what we understand', () => {
    const cursor = 'Ab_-9'.repeat(20)
    for (const isAll of [false, true]) {
      for (const after of [undefined, cursor]) {
        const reading = parseReading(listPath(prefixPath(href, '2020'), { after, isAll }))
        assert(reading.kind === 'prefix')
        assert.deepEqual([reading.url.href, reading.after, reading.isAll], [href, after, isAll])
      }
    }
    assert.equal(parseReading(calendarPath(href, '2020')).kind, 'calendar')
    const atMs = Date.parse('2020-01-02T03:04:05Z')
    assert.deepEqual(
      { ...parseReading(versionPath(atMs, href)), url: '' },
      { kind: 'version', url: '', digits: '20200102030405', isNotNewer: false },
    )
    const { left, right } = parseComparing(comparePath(atMs, atMs + 5_000, href))
    assert.deepEqual([left.fromMs, right.fromMs], [atMs, atMs + 5_000])
  })
})

test.each([
  ['/web/20201301/http://a.example/', 'timestamp-malformed'],
  ['/web/2021-2020*/http://a.example/', 'address-malformed'],
  ['/web/*/', 'address-malformed'],
  ['/web/2020id_/http://a.example/', 'address-malformed'],
  ['/web/2020/ftp://a.example/', 'url-unsupported-scheme'],
  ['/web/*/javascript:alert(1)', 'url-unsupported-scheme'],
  ['/web/*/http://exa mple/', 'url-malformed'],
])('%s is refused with a sentence', (target, code) => {
  assert.throws(
    () => parseReading(target),
    (error) => error instanceof PolyhistorError && error.code === code && error.message.length > 10,
  )
})

test('comparisons that make no sense are refused', () => {
  for (const target of [
    '/diff/2020/http://a.example/',
    '/diff/x/y/http://a.example/',
    '/diff/2020/20209/http://a.example/',
  ])
    assert.throws(() => parseComparing(target), PolyhistorError)
})

test('routes leave to replay what is replay’s', () => {
  assert(!versionRoute.test('/web/2020id_/http://a.example/'))
  assert(!versionRoute.test('/web/http://a.example/'))
  assert(versionRoute.test('/web/2020/http://a.example/'))
  assert(listRoute.test('/web/2009-2015*/http://a.example/*'))
  assert(!listRoute.test('/web/2020/http://a.example/*'))
})
