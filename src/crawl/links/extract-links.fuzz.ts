// What must hold of every body, whatever it is called.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { hostileMarkup } from '../../formats/markup/fixtures/hostile-markup.ts'
import { LinkResolver } from '../../model/url/link-resolver.ts'
import { parseUrl, tryParseUrl } from '../../model/url/url.ts'
import { scanCss } from './css-links.ts'
import { extract, pageHref } from './fixtures/extraction.ts'
import { linksOf } from './link.ts'
import { parseLinkHeader } from './link-header.ts'

const linkedMarkup = [
  ...['a', 'href', 'img', 'src', 'srcset', 'style', 'script', 'title', 'svg', 'base', 'meta', 'link', 'rel'],
  ...['iframe', '<base href="/b/">', 'data:', 'http://a.test/', '//b.test', '..', 'stylesheet'],
  ...[
    '<urlset>',
    '<loc>',
    '</loc>',
    '<rss>',
    '<link>',
    '<feed>',
    '<MPD>',
    '#EXTM3U\n',
    '{"icons":[',
    'URI="',
  ],
]
const types = [
  ...[
    'text/html',
    'application/xhtml+xml',
    'text/css',
    'image/svg+xml',
    'application/xml',
    'text/plain',
    undefined,
  ],
  ...[
    'application/manifest+json',
    'application/vnd.apple.mpegurl',
    'text/html; charset=utf-16',
    'text/html; charset=x',
  ],
]

const hostileText = hostileMarkup(linkedMarkup, 80)
const body = fc.oneof(fc.uint8Array({ maxLength: 300 }), hostileText)
const path = fc.constantFrom('page', 'a.css', 'sitemap.xml.gz', 'manifest.json', 'x?y/z')

const linkParts = [
  ...[
    'http:',
    'https:',
    'HTTP://',
    '//',
    '/',
    '\\',
    '.',
    '..',
    '/../',
    '/./',
    '?',
    '#',
    ':',
    '@',
    '%',
    '%2e',
    '%c3',
  ],
  ...[
    'a',
    'b.test',
    'A.TEST',
    '127.1',
    ':80',
    ':443',
    'x',
    "'",
    '"',
    ' ',
    '\t',
    '\n',
    'é',
    '|',
    '{',
    '^',
    '~',
    '*',
    '-',
  ],
  ...[
    'mailto:',
    'javascript:',
    'data:',
    'http',
    'page.html',
    'www',
    '[::1]',
    '%7E',
    '_',
    '!',
    '$',
    '&',
    '(',
    ',',
    ';',
  ],
]
const link = fc.array(fc.constantFrom(...linkParts), { maxLength: 8 }).map((parts) => parts.join(''))
const bases = [
  'http://example.com/',
  'https://b.test:8443/a/b?c/d',
  'http://b.test/a/b/?x',
  'http://127.0.0.1/x',
]

export const properties = [
  {
    name: 'any body ends in links that are URLs, each once, none its own',
    property: fc.property(body, fc.constantFrom(...types), path, (bytes, type, name) => {
      const href = `http://example.com/${name}`
      const found = extract({ body: bytes, type, href })
      const hrefs = linksOf(found).map((each) => each.href)
      assert.equal(hrefs.length, found.marks.length)
      assert.equal(new Set(hrefs).size, hrefs.length)
      assert.ok(!hrefs.includes(href))
      for (const each of hrefs) assert.equal(parseUrl(each).href, each)
    }),
  },
  {
    name: 'the same body gives the same links',
    property: fc.property(body, fc.constantFrom(...types), (bytes, type) => {
      assert.deepEqual(extract({ body: bytes, type }), extract({ body: bytes, type }))
    }),
  },
  {
    name: 'links resolve as URL parsing resolves them',
    property: fc.property(link, fc.constantFrom(...bases), (written, base) => {
      const expected = tryParseUrl(written, base)?.href ?? null
      assert.equal(new LinkResolver(parseUrl(base)).resolve(written), expected)
    }),
  },
  {
    name: 'a link that is written properly is found, whatever comes before it',
    property: fc.property(
      fc.array(fc.constantFrom('<p>', '<div class=x>', 'text &', '<br/>', '<svg></svg>', '</b>')),
      (parts) => {
        const { hrefs } = extract({ body: `<html>${parts.join('')}<a href="/found">`, type: 'text/html' })
        assert.equal(hrefs, 'http://example.com/found')
      },
    ),
  },
  {
    name: 'any text is CSS and Link header',
    property: fc.property(hostileText, (text) => {
      scanCss(text, (url) => assert.notEqual(url, ''))
      for (const { url } of parseLinkHeader(text)) assert.equal(typeof url, 'string')
    }),
  },
  {
    name: 'URLs in quotes are found in CSS as they are',
    property: fc.property(fc.webPath(), fc.constantFrom('"', "'"), (written, quote) => {
      if (written.includes(quote) || written === '') return
      const found: string[] = []
      scanCss(`a{b:url(${quote}${written}${quote})} @import ${quote}${written}${quote};`, (url) =>
        found.push(url),
      )
      assert.deepEqual(found, [written, written])
    }),
  },
  {
    name: 'headers never spoil a result',
    property: fc.property(
      hostileText,
      fc.constantFrom('Link', 'Location', 'Refresh', 'X-Robots-Tag'),
      (value, name) => {
        for (const { url } of linksOf(extract({ body: '', headers: [[name, value]] })))
          assert.notEqual(url.href, pageHref)
      },
    ),
  },
]
