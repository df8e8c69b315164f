import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../fixtures/property-tests.ts'
import { properties } from './url.fuzz.ts'
import { parseUrl, tryParseUrl, type UrlErrorCode, urlCharsMax, urlFromTyped } from './url.ts'

const normalised: readonly (readonly [input: string, href: string, rule: string])[] = [
  ['http://example.com', 'http://example.com/', 'an empty path is a slash'],
  ['http://example.com?a', 'http://example.com/?a', 'before a query too'],
  ['http://example.com/a#b', 'http://example.com/a', 'the fragment goes'],
  ['http://example.com/a?#b', 'http://example.com/a?', 'an empty query stays: the server sees it'],
  ['http://example.com/a?', 'http://example.com/a?', 'with and without fragment'],
  ['http://example.com:80/', 'http://example.com/', 'the default port of http goes'],
  ['https://example.com:443/', 'https://example.com/', 'the default port of https goes'],
  ['http://example.com:443/', 'http://example.com:443/', 'other ports stay'],
  ['http://example.com/a/./b/../c', 'http://example.com/a/c', 'dot segments are resolved'],
  ['http://example.com/a/%2e%2E/c', 'http://example.com/c', 'encoded ones as well'],
  ['http://example.com/%3a%c3%A9?q=%2f', 'http://example.com/%3A%C3%A9?q=%2F', 'hex digits are upper case'],
  ['http://example.com/%7Ea', 'http://example.com/%7Ea', 'but nothing is decoded'],
  ['http://example.com/%zz%', 'http://example.com/%zz%', 'what encodes nothing stays'],
  ['http://example.com//a//', 'http://example.com//a//', 'slashes stay: servers tell them apart'],
  ['http://example.com/B?Y=Z&X=1', 'http://example.com/B?Y=Z&X=1', 'so do case and order'],
  ['HTTP://WWW.EXAMPLE.COM/', 'http://www.example.com/', 'scheme and host are lower case'],
  ['http://bücher.ch/ü', 'http://xn--bcher-kva.ch/%C3%BC', 'IDNA for the host, UTF-8 for the path'],
  ['http://user:secret@example.com/', 'http://example.com/', 'passwords do not belong in an archive'],
  ['http://us%2Fer@example.com/a@b#c', 'http://example.com/a@b', 'only the @ of the userinfo ends it'],
  ['http://example.com./a', 'http://example.com./a', 'the trailing dot stays in the href'],
  ['  http://example.com/a\tb\n ', 'http://example.com/ab', 'white space around and line ends within go'],
  ['http:\\\\example.com\\a', 'http://example.com/a', 'backslashes are slashes'],
  ['http://0x7f.1/', 'http://127.0.0.1/', 'IPv4 in other notations'],
  ['http://[0:0::0:1]:80/', 'http://[::1]/', 'IPv6 is compressed'],
  ['http://example.com/\ud800', 'http://example.com/%EF%BF%BD', 'a lone surrogate is replaced'],
  ['http://example.com/\0a', 'http://example.com/%00a', 'NUL is encoded'],
]

const refused: readonly (readonly [input: string, code: UrlErrorCode])[] = [
  ['', 'url-empty'],
  [' \n', 'url-empty'],
  ['example.com', 'url-malformed'],
  ['/a', 'url-malformed'],
  ['http://', 'url-malformed'],
  ['http://a b/', 'url-malformed'],
  ['http://example.com:99999/', 'url-malformed'],
  ['http://[::1/', 'url-malformed'],
  ['http://256.1.1.1/', 'url-malformed'],
  ['http://exa%23mple.com/', 'url-malformed'],
  ['mailto:x@example.com', 'url-unsupported-scheme'],
  ['javascript:alert(1)', 'url-unsupported-scheme'],
  ['data:text/html,x', 'url-unsupported-scheme'],
  ['ftp://example.com/', 'url-unsupported-scheme'],
  ['file:///etc/passwd', 'url-unsupported-scheme'],
  ['blob:https://example.com/1', 'url-unsupported-scheme'],
  ['http://a..b/', 'url-bad-host'],
  ['http://.example.com/', 'url-bad-host'],
  ['http://./', 'url-bad-host'],
  ['http://a,b.com/', 'url-bad-host'],
  ['http://*.example.com/', 'url-bad-host'],
  [`http://${'a'.repeat(64)}.com/`, 'url-bad-host'],
  [`http://${'abcdefg.'.repeat(32)}com/`, 'url-bad-host'],
  [`http://example.com/${'a'.repeat(urlCharsMax)}`, 'url-too-long'],
  [`http://example.com/${'é'.repeat(urlCharsMax / 6)}`, 'url-too-long'],
  ['a'.repeat(1_000_000), 'url-too-long'],
]

describe('a URL for fetching', () => {
  test.each(normalised)('%j is %s: %s', (input, href) => {
    assert.equal(parseUrl(input).href, href)
  })

  test.each(refused)('%.60j is refused: %s', (input, code) => {
    assert.throws(() => parseUrl(input), { name: 'UrlError', code, retry: 'never' })
    assert.equal(tryParseUrl(input), null)
  })

  test('the longest URL and the longest host still pass', () => {
    const start = 'http://example.com/'
    assert.equal(parseUrl(start.padEnd(urlCharsMax, 'a')).href.length, urlCharsMax)
    const host = `${'a'.repeat(63)}.`.repeat(3) + 'b'.repeat(61)
    assert.equal(parseUrl(`http://${host}./`).host, host)
  })

  test('a message quotes the URL cut short and without control characters', () => {
    const message = (input: string) => {
      try {
        parseUrl(input)
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    assert.match(
      message('javascript:alert(1)'),
      /^"javascript:alert\(1\)" has the scheme "javascript:": only http/,
    )
    assert.match(message('example.com'), /lacks http:\/\//)
    assert.ok(message(`x${'y'.repeat(10_000)}`).length < 200)
    assert.doesNotMatch(message('http://\u001b[31m\u202e/'), /[\u001b\u202e]/)
  })

  test('a link is resolved against its page', () => {
    const page = parseUrl('https://example.com/a/b?c')
    assert.equal(parseUrl('../d', page).href, 'https://example.com/d')
    assert.equal(parseUrl('//other.org/x', page).href, 'https://other.org/x')
    assert.equal(parseUrl('?q', page.href).href, 'https://example.com/a/b?q')
    assert.equal(parseUrl('', page).href, page.href)
    assert.equal(parseUrl('#top', page).href, page.href)
    assert.throws(() => parseUrl('/a', 'no base'), { code: 'url-malformed' })
  })

  test('its parts are what a request needs', () => {
    const url = parseUrl('https://u@Sub.Example.co.uk.:8443/a?b#c')
    assert.equal(url.scheme, 'https')
    assert.equal(url.host, 'sub.example.co.uk')
    assert.equal(url.authority, 'sub.example.co.uk.:8443')
    assert.equal(url.port, 8443)
    assert.equal(url.origin, 'https://sub.example.co.uk.:8443')
    assert.equal(url.target, '/a?b')
    assert.equal(url.site, 'example.co.uk')
    assert.equal(url.surt, 'uk,co,example,sub:8443)/a?b')
    assert.equal(JSON.stringify({ url }), '{"url":"https://sub.example.co.uk.:8443/a?b"}')
    assert.equal(parseUrl('http://[::1]/').port, 80)
    assert.equal(parseUrl('https://[::1]/').port, 443)
    assert.equal(parseUrl('http://[::1]:8080/').port, 8080)
    assert.equal(parseUrl('http://[::1]:8080/').host, '[::1]')
  })
})

describe('a URL as a person types it', () => {
  const typed: readonly (readonly [typed: string, href: string])[] = [
    ['example.com', 'http://example.com/'],
    ['example.com/a?b', 'http://example.com/a?b'],
    ['example.com:80/x', 'http://example.com/x'],
    ['example.com:8080', 'http://example.com:8080/'],
    ['example.com:/x', 'http://example.com/x'],
    ['localhost:8080/x', 'http://localhost:8080/x'],
    ['localhost:8080?x', 'http://localhost:8080/?x'],
    ['127.0.0.1:9/x', 'http://127.0.0.1:9/x'],
    ['[::1]:9/x', 'http://[::1]:9/x'],
    ['//example.com/a', 'http://example.com/a'],
    ['  https://example.com ', 'https://example.com/'],
    ['http:example.com', 'http://example.com/'],
    ['http://https://example.com/', 'https://example.com/'],
    ['user@example.com', 'http://example.com/'],
    ['bücher.ch', 'http://xn--bcher-kva.ch/'],
    ['example.com/http://other.org/', 'http://example.com/http://other.org/'],
  ]
  test.each(typed)('%j means %s', (text, href) => {
    assert.equal(urlFromTyped(text).href, href)
  })

  const notForFetching = [
    'javascript:alert(1)',
    'javascript:1',
    'mailto:x@y',
    'tel:110',
    'about:blank',
    'urn:1',
    'C:\\a',
  ]
  test.each(notForFetching)('%j stays what it is, and is refused', (text) => {
    assert.throws(() => urlFromTyped(text), { code: 'url-unsupported-scheme' })
  })

  test.each([
    ['', 'url-empty'],
    ['/a', 'url-malformed'],
    ['a b', 'url-malformed'],
    ['?', 'url-malformed'],
  ])('%j is refused: %s', (text, code) => {
    assert.throws(() => urlFromTyped(text), { code })
  })
})

describe('whatever the text', () => {
  testProperties(properties, 500)
})
