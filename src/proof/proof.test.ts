import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { testProperties } from '../model/fixtures/property-tests.ts'
import { parseSignature, signCaptures } from './capture-signature.ts'
import { headDigestOf, statementText } from './capture-statement.ts'
import { isSignedBy, SigningKey } from './ed25519.ts'
import { emptyRoot, rootOf } from './merkle-tree.ts'
import { properties } from './proof.fuzz.ts'

const facts = {
  url: 'https://a.test/',
  capturedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  headDigest: headDigestOf('HTTP/1.1 200 OK\r\n\r\n'),
  payloadDigest: `sha256:${'ab'.repeat(32)}`,
  address: '192.0.2.1',
  certificate: 'cd'.repeat(32),
}

describe('proofs', () => {
  testProperties(properties, 60)

  test('the root of no entries is that of RFC 6962', () => {
    assert.equal(
      Buffer.from(rootOf([])).toString('hex'),
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
    assert.equal(rootOf([]), emptyRoot)
  })

  test('what is signed can be read', () => {
    const key = new SigningKey(Buffer.alloc(32, 1))
    const signing = { key: key.publicKey, isImported: false, isPayloadUnknown: false }
    assert.equal(
      statementText(facts, signing),
      `polyhistor capture 1
url https://a.test/
time 2026-01-02T03:04:05.006Z
head sha256:4cb5aea14f66ae5cbd0ec3d0ba3edbed6ab28db6a10a1d3c2a4d8fc6fb5d0f9b
payload sha256:${'ab'.repeat(32)}
address 192.0.2.1
certificate sha256:${'cd'.repeat(32)}
captured by ed25519:${Buffer.from(key.publicKey).toString('hex')}
`.replace(/head sha256:\w+/, `head sha256:${Buffer.from(facts.headDigest).toString('hex')}`),
    )
  })

  test('a signature of somebody else in the same words is none', () => {
    const [ours, theirs] = [1, 2].map((byte) => new SigningKey(Buffer.alloc(32, byte)))
    const { field } = signCaptures(ours!, [{ facts, isImported: false }], 1)[0]!
    const { signature } = parseSignature(field)!
    assert(!isSignedBy(theirs!.publicKey, Buffer.from('anything'), signature))
    assert(!isSignedBy(Buffer.alloc(32, 0xff), Buffer.from('anything'), signature))
    assert.equal(parseSignature(`${field}A`), undefined)
    assert.equal(parseSignature(''), undefined)
  })
})
