import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { newInstance, ChaCha20Poly1305 as Packaged } from '@chainsafe/as-chacha20poly1305'
import { digest as packagedDigest } from '@chainsafe/as-sha256'
import { test } from 'vitest'
import { ChaCha20Poly1305 } from './chacha20-poly1305.ts'
import { digest } from './sha256.ts'

const packaged = new Packaged(newInstance())
const own = new ChaCha20Poly1305()

test('what stands in for the packages of Noise seals, opens and digests as they do', () => {
  for (const size of [0, 1, 63, 64, 1_199]) {
    const [key, nonce, plain, associated] = [32, 12, size, 32].map((bytes) => randomBytes(bytes)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ]
    const sealed = own.seal(key, nonce, plain, associated)
    assert.deepEqual(Buffer.from(sealed), Buffer.from(packaged.seal(key, nonce, plain, associated)))
    assert.deepEqual(Buffer.from(own.open(key, nonce, sealed, associated)!), plain)
    assert.deepEqual(Buffer.from(packaged.open(key, nonce, sealed, associated)!), plain)
    assert.deepEqual(Buffer.from(digest(plain)), Buffer.from(packagedDigest(plain)))
  }
})

test('what was not sealed so is not opened', () => {
  const [key, nonce, associated] = [randomBytes(32), randomBytes(12), randomBytes(32)]
  const sealed = own.seal(key, nonce, Buffer.from('a word'), associated)
  for (const spoilt of [sealed.with(0, sealed[0]! ^ 1), sealed.subarray(1), sealed.subarray(0, 9)])
    assert.equal(own.open(key, nonce, spoilt, associated), undefined)
})
