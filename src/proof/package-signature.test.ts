import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { PackageSigner, packageFault } from './package-signature.ts'

const hash = `sha256:${'ab'.repeat(32)}`

describe('signatures of packages', () => {
  test('hold for their manifest only, and are of one key for one peer', () => {
    const signer = new PackageSigner(Buffer.alloc(32, 1))
    const signed = signer.sign(hash, '2026-01-01T00:00:00Z', 'polyhistor')
    assert.equal(packageFault(signed, hash), undefined)
    assert.match(packageFault(signed, `sha256:${'cd'.repeat(32)}`)!, /another manifest/)
    const other = new PackageSigner(Buffer.alloc(32, 2)).sign(hash, signed.created, signed.software)
    assert.notEqual(other.publicKey, signed.publicKey)
    assert.match(packageFault({ ...signed, publicKey: other.publicKey }, hash)!, /does not hold/)
    assert.match(packageFault({ ...signed, signature: 'AAAA' }, hash)!, /does not hold|cannot be read/)
    assert.equal(new PackageSigner(Buffer.alloc(32, 1)).sign(hash, '', '').publicKey, signed.publicKey)
    assert.deepEqual(Object.keys(signed), [
      'hash',
      'created',
      'software',
      'version',
      'signature',
      'publicKey',
    ])
  })

  test('of nonsense are told as that', () => {
    for (const nonsense of [null, 5, {}, { hash, signature: 5 }, { hash, signature: 'a', publicKey: 'b' }])
      assert.notEqual(packageFault(nonsense, hash), undefined)
  })
})
