// What must hold of every URL, and of every text that claims to be one.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { ringKeyOfSite } from '../ring-key.ts'
import { decodeRepeatedly, encodeMinimally } from './percent-encoding.ts'
import { siteOf } from './site.ts'
import { surtOf } from './surt.ts'
import { parseUrl, tryParseUrl, type Url, urlCharsMax, urlFromTyped } from './url.ts'
import { UrlError } from './url-error.ts'

/** Any code units at all, lone surrogates included. */
const anyText = fc
  .array(fc.nat({ max: 0xffff }), { maxLength: 200 })
  .map((units) => String.fromCharCode(...units))

const hostileParts = [
  ...[
    'http:',
    'https://',
    'ftp://',
    '//',
    '/',
    '\\',
    ':',
    '@',
    '[',
    ']',
    '::1',
    '?',
    '#',
    '&',
    '=',
    ';',
    '%',
    '.',
  ],
  ...[
    '..',
    '%2e',
    '%2F',
    '%25',
    '%252e',
    '%zz',
    '%C3%A9',
    '%ff',
    '%00',
    ' ',
    '\t',
    '\n',
    '\0',
    '\ud800',
    '\udc00',
  ],
  ...[
    'www.',
    'www2.',
    'example.com',
    'EXAMPLE.',
    'bücher',
    'xn--',
    'xn--a',
    '0x7f',
    '127.1',
    '256',
    ':80',
    ':99999',
  ],
  ...[
    'sid=',
    'PHPSESSID=',
    'cfid=',
    'cftoken=1',
    '0123456789abcdef0123456789abcdef',
    '(S(',
    '))/',
    '.aspx',
    'a',
    'é',
    '。',
  ],
]
const hostileUrl = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...hostileParts) }, { weight: 1, arbitrary: anyText }),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(''))

/** Mostly texts that get past the scheme, since the rest is where the work is done. */
const urlText = fc.oneof(
  hostileUrl.map((rest) => `http://${rest}`),
  hostileUrl.map((rest) => `https://example.com/${rest}`),
  hostileUrl,
  anyText,
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
)

const webUrl = fc.webUrl({ withQueryParameters: true }).filter((url) => !/sid=|cfid=|\.aspx/i.test(url))

function parsedOrRefused(parse: () => Url): Url | null {
  try {
    return parse()
  } catch (error) {
    assert.ok(error instanceof UrlError, `threw ${error}`)
    return null
  }
}

function decodeInRounds(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded === text ? text : decodeInRounds(decoded)
}

export const properties = [
  {
    name: 'a text is a URL within its limits, or refused with a UrlError',
    property: fc.property(urlText, fc.option(urlText, { nil: undefined }), (text, base) => {
      const url = parsedOrRefused(() => parseUrl(text, base))
      if (url === null) return
      assert.match(url.href, /^https?:\/\/[a-z0-9._:[\]-]+\/[!-~]*$/)
      assert.ok(url.href.length <= urlCharsMax)
      assert.equal(url.href, `${url.origin}${url.target}`)
      assert.ok(url.port >= 0 && url.port <= 65_535)
    }),
  },
  {
    name: 'parsing an href changes nothing, and neither does typing it',
    property: fc.property(urlText, (text) => {
      const url = tryParseUrl(text)
      if (url === null) return
      assert.equal(parseUrl(url.href).href, url.href)
      assert.equal(urlFromTyped(url.href).href, url.href)
      assert.equal(parseUrl(url.href).host, url.host)
    }),
  },
  {
    name: 'a key is printable ASCII without a space, the same for a URL and its href',
    property: fc.property(urlText, (text) => {
      assert.match(surtOf(text), /^[!-~]+$/)
      const url = parsedOrRefused(() => urlFromTyped(text))
      if (url === null) return
      assert.equal(url.surt, surtOf(url.href))
      assert.equal(url.surt, surtOf(text))
    }),
  },
  {
    name: 'a site is an end of its host, and its own site',
    property: fc.property(urlText, (text) => {
      const url = tryParseUrl(text)
      if (url === null) return
      assert.ok(url.host === url.site || url.host.endsWith(`.${url.site}`))
      assert.equal(siteOf(url.site), url.site)
      assert.equal(url.ringKey, ringKeyOfSite(url.site))
    }),
  },
  {
    name: 'scheme, www, case, fragment and userinfo do not change a key',
    property: fc.property(webUrl, (text) => {
      const rest = text.replace(/^https?:\/\//, '')
      fc.pre(!rest.startsWith('www'))
      const key = surtOf(`http://${rest}`)
      for (const spelling of [
        `https://${rest}`,
        `http://www7.${rest}`,
        `ftp://${rest}#x`,
        `http://u:p@${rest}`,
      ]) {
        assert.equal(surtOf(spelling), key)
      }
      assert.equal(surtOf(`HTTP://${rest.toUpperCase()}`), key)
    }),
  },
  {
    name: 'encoding any characters of the path, once or twice, does not change a key',
    property: fc.property(fc.string({ minLength: 1 }), fc.array(fc.nat({ max: 2 })), (segment, times) => {
      const path = encodeURIComponent(segment.replaceAll('%', ''))
      const encoded = Buffer.from(decodeURIComponent(path), 'utf8').reduce((text, byte, i) => {
        const once = `%${byte.toString(16).padStart(2, '0')}`
        return text + (times[i] === 2 ? once.replace('%', '%25') : once)
      }, '')
      assert.equal(surtOf(`http://example.com/x${encoded}`), surtOf(`http://example.com/x${path}`))
    }),
  },
  {
    name: 'the order of parameters does not change a key',
    property: fc.property(fc.array(fc.webQueryParameters(), { maxLength: 6 }), (parameters) => {
      fc.pre(!/sid=|cfid=/i.test(parameters.join('&')))
      const query = parameters.join('&').split('&')
      const key = surtOf(`http://example.com/?${query.join('&')}`)
      assert.equal(surtOf(`http://example.com/?${query.toReversed().join('&')}`), key)
    }),
  },
  {
    name: 'decoding in one pass ends where decoding in rounds does',
    property: fc.property(
      fc
        .array(fc.constantFrom('%', '2', '5', '%25', '%32', 'a', 'F', 'g', '\xe9'))
        .map((parts) => parts.join('')),
      (text) => {
        assert.equal(decodeRepeatedly(text), decodeInRounds(text))
        assert.equal(decodeRepeatedly(encodeMinimally(decodeRepeatedly(text))), decodeRepeatedly(text))
      },
    ),
  },
]
