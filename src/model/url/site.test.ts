import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'vitest'
import { parseRingKey, ringKeyFromBytes, ringKeyOf, ringKeyOfSite, ringKeyToBytes } from '../ring-key.ts'
import { hasSitesUnder, siteOf } from './site.ts'
import { parseUrl } from './url.ts'

describe('the site of', () => {
  const sites: readonly (readonly [host: string, site: string, rule: string])[] = [
    ['example.com', 'example.com', 'a registrable domain is itself'],
    ['www.example.com', 'example.com', 'www is a subdomain like any other'],
    ['a.b.c.example.co.uk', 'example.co.uk', 'a suffix may have several labels'],
    ['alice.github.io', 'alice.github.io', 'private suffixes count'],
    ['x.alice.github.io', 'alice.github.io', 'with subdomains below'],
    ['bob.blogspot.com', 'bob.blogspot.com', 'so that neighbours are apart'],
    ['github.io', 'github.io', 'a bare private suffix is its own site'],
    ['com', 'com', 'so is a bare public suffix'],
    ['co.uk', 'co.uk', 'of any length'],
    ['a.b.kawasaki.jp', 'a.b.kawasaki.jp', 'wildcard rules'],
    ['www.city.kawasaki.jp', 'city.kawasaki.jp', 'and exceptions from them'],
    ['xn--bcher-kva.ch', 'xn--bcher-kva.ch', 'Punycode'],
    ['a.xn--55qx5d.cn', 'a.xn--55qx5d.cn', 'suffixes in Punycode'],
    ['127.0.0.1', '127.0.0.1', 'an IPv4 literal is its own site'],
    ['[::1]', '[::1]', 'so is an IPv6 literal'],
    ['localhost', 'localhost', 'and localhost'],
    ['intranet', 'intranet', 'and a name of one label'],
    ['foo.localhost', 'foo.localhost', 'below localhost each name is a site'],
    ['a.foo.localhost', 'foo.localhost', 'by the default rule'],
    ['a.nas.lan', 'nas.lan', 'which holds for every unknown top-level name'],
    ['foo_bar.example.com', 'example.com', 'underscores are no obstacle'],
  ]
  test.each(sites)('%s is %s: %s', (host, site) => {
    assert.equal(siteOf(host), site)
    assert.equal(parseUrl(`http://${host}/`).site, site)
  })

  test('a host with a trailing dot is the site without', () => {
    assert.equal(parseUrl('http://www.example.com./').site, 'example.com')
  })
})

describe('a ring key', () => {
  const site = siteOf('www.example.com')

  test('is the first 20 bytes of the SHA-256 of the site', () => {
    const expected = createHash('sha256').update('example.com', 'utf8').digest().subarray(0, 20)
    assert.equal(ringKeyOfSite(site), expected.toString('hex'))
    assert.equal(parseUrl('https://x.example.com:81/y').ringKey, expected.toString('hex'))
    assert.deepEqual(Buffer.from(ringKeyToBytes(ringKeyOfSite(site))), expected)
    assert.equal(ringKeyOf(Buffer.from('example.com')), ringKeyOfSite(site))
  })

  test('is read back from text and bytes', () => {
    const key = ringKeyOfSite(site)
    assert.equal(parseRingKey(key), key)
    assert.equal(ringKeyFromBytes(ringKeyToBytes(key)), key)
  })

  test.each(['', 'abc', 'A'.repeat(40), 'g'.repeat(40), 'a'.repeat(41), `${'a'.repeat(40)}\n`])(
    '%j is none',
    (text) => {
      assert.throws(() => parseRingKey(text), { code: 'ring-key-malformed' })
    },
  )

  test('of another length in bytes is none', () => {
    assert.throws(() => ringKeyFromBytes(new Uint8Array(19)), { code: 'ring-key-malformed' })
  })
})

test('many sites lie under a public suffix, and under what has suffixes under it', () => {
  for (const name of ['gov.uk', 'uk', 'github.io', 'lan', 'ck', 'kawasaki.jp', 'foo.kawasaki.jp'])
    assert.equal(hasSitesUnder(name), true, name)
  for (const name of ['data.gov.uk', 'example.com', 'city.kawasaki.jp', '127.0.0.1', '[::1]'])
    assert.equal(hasSitesUnder(name), false, name)
})
