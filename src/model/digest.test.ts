import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { base32Of } from './base32.ts'
import { properties } from './digest.fuzz.ts'
import { Digester, digestHex, digestOf, equalDigests, parseDigest, printDigest } from './digest.ts'
import { testProperties } from './fixtures/property-tests.ts'

// Of no bytes, as every tool knows them.
const sha1Base32 = '3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
const sha1Hex = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'
const sha256Hex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const sha256Base32 = '4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ'

describe('a digest', () => {
  test('is printed as the tools of its algorithm print it', () => {
    assert.equal(printDigest(digestOf('sha1', '')), `sha1:${sha1Base32}`)
    assert.equal(printDigest(digestOf('sha256', '')), `sha256:${sha256Hex}`)
    assert.equal(digestHex(digestOf('sha1', '')), sha1Hex)
  })

  const sha1Spellings = [
    ...[
      `sha1:${sha1Base32}`,
      `sha1:${sha1Base32.toLowerCase()}`,
      `SHA1:${sha1Base32}`,
      `sha-1:${sha1Base32}`,
    ],
    ...[`sha1:${sha1Hex}`, `sha1:${sha1Hex.toUpperCase()}`, sha1Base32, sha1Base32.toLowerCase(), sha1Hex],
    ...[`sha1: ${sha1Base32}`],
  ]
  test.each(sha1Spellings)('%s is the SHA-1 of no bytes', (text) => {
    assert.ok(equalDigests(parseDigest(text), digestOf('sha1', '')))
  })

  const sha256Spellings = [
    ...[
      `sha256:${sha256Hex}`,
      `sha256:${sha256Hex.toUpperCase()}`,
      `sha-256:${sha256Hex}`,
      `SHA-256:${sha256Hex}`,
    ],
    ...[`sha256:${sha256Base32}`, `sha256:${sha256Base32}====`, sha256Hex, sha256Base32],
  ]
  test.each(sha256Spellings)('%s is the SHA-256 of no bytes', (text) => {
    assert.ok(equalDigests(parseDigest(text), digestOf('sha256', '')))
  })

  test.each([
    'md5:d41d8cd98f00b204e9800998ecf8427e',
    'sha512:00',
    'blake3:00',
    `:${sha1Hex}`,
    `constructor:${sha1Hex}`,
  ])('%s has an algorithm that we do not know', (text) => {
    assert.throws(() => parseDigest(text), { name: 'DigestError', code: 'digest-unknown-algorithm' })
  })

  const malformed = [
    ...[
      '',
      '-',
      'sha1:',
      'sha256:xyz',
      `sha256:${sha1Hex}`,
      `sha1:${sha256Hex}`,
      `sha1:${sha1Hex}0`,
      `${sha1Hex}0`,
    ],
    // Not of the alphabet; and bits at the end that no encoder sets.
    ...[
      `sha1:${sha1Base32.replace('3', '1')}`,
      `sha1:${sha1Hex.replace('d', 'g')}`,
      `${sha256Base32.slice(0, -1)}R`,
    ],
    ...[`sha1:${'é'.repeat(32)}`, 'd41d8cd98f00b204e9800998ecf8427e'],
  ]
  test.each(malformed)('%j is malformed', (text) => {
    assert.throws(() => parseDigest(text), { name: 'DigestError', code: 'digest-malformed' })
  })

  test('equals another only with the same algorithm and bytes', () => {
    assert.ok(equalDigests(digestOf('sha1', 'a'), digestOf('sha1', Buffer.from('a'))))
    assert.ok(!equalDigests(digestOf('sha1', 'a'), digestOf('sha1', 'b')))
    assert.ok(
      !equalDigests(
        { algorithm: 'sha1', bytes: new Uint8Array() },
        { algorithm: 'sha256', bytes: new Uint8Array() },
      ),
    )
  })

  test('of a stream is that of its bytes together', () => {
    const streamed = new Digester('sha256').update(Buffer.from('ab')).update(Buffer.from('c')).finish()
    assert.ok(equalDigests(streamed, digestOf('sha256', 'abc')))
  })
})

test('Base32 is that of RFC 4648', () => {
  const examples = {
    f: 'MY',
    fo: 'MZXQ',
    foo: 'MZXW6',
    foob: 'MZXW6YQ',
    fooba: 'MZXW6YTB',
    foobar: 'MZXW6YTBOI',
  }
  for (const [text, encoded] of Object.entries(examples)) assert.equal(base32Of(Buffer.from(text)), encoded)
})

describe('whatever the text', () => {
  testProperties(properties, 500)
})
