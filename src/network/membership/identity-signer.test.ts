import assert from 'node:assert/strict'
import { test } from 'vitest'
import { newIdentity, peerOf } from '../../platform/real/network/identity.ts'
import { identitySigner } from './identity-signer.ts'
import { seedOfIdentity } from './peer-key.ts'
import { isSignedAsync } from './signing.ts'

test('a signature is of one peer, for one network, and of one statement', async () => {
  const identity = await newIdentity()
  const author = await peerOf(identity)
  const seed = seedOfIdentity(identity)
  const signer = identitySigner('one network', seed, isSignedAsync)
  const statement = Buffer.from('so it is')
  const signature = signer.sign(statement)
  assert.equal(await signer.verify(author, statement, signature), true)
  assert.equal(await signer.verify(author, Buffer.from('so it is not'), signature), false)
  assert.equal(await signer.verify(await peerOf(await newIdentity()), statement, signature), false)
  assert.equal(
    await identitySigner('another network', seed, isSignedAsync).verify(author, statement, signature),
    false,
  )
  for (const wrong of [new Uint8Array(), new Uint8Array(64), signature.subarray(1)])
    assert.equal(await signer.verify(author, statement, wrong), false)
  assert.equal(await signer.verify('nobody', statement, signature), false)
})
