// Ed25519 with raw keys that are used again and again: making a key object costs a good part of a signature.

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { LruCache } from '../model/lru-cache.ts'

export const keyBytes = 32
export const signatureBytes = 64

// A raw key with what PKCS #8 and SPKI put before it.
const secretPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
export const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')

const publicKeys = new LruCache<string, KeyObject>({ max: 1_024 })

export class SigningKey {
  readonly publicKey: Uint8Array
  readonly #secret: KeyObject

  /** `seed`: 32 bytes that the secret key is made from. */
  constructor(seed: Uint8Array) {
    this.#secret = createPrivateKey({
      key: Buffer.concat([secretPrefix, seed]),
      format: 'der',
      type: 'pkcs8',
    })
    const der = createPublicKey(this.#secret).export({ format: 'der', type: 'spki' })
    this.publicKey = new Uint8Array(der.subarray(publicPrefix.length))
  }

  sign(message: Uint8Array): Uint8Array {
    return new Uint8Array(sign(null, message, this.#secret))
  }
}

export function isSignedBy(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== keyBytes || signature.length !== signatureBytes) return false
  const name = Buffer.from(publicKey).toString('latin1')
  const key = publicKeys.get(name) ?? publicKeyObject(publicKey)
  publicKeys.set(name, key)
  try {
    return verify(null, message, key, signature)
  } catch {
    // Thirty-two bytes need not be a point of the curve.
    return false
  }
}

function publicKeyObject(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([publicPrefix, publicKey]), format: 'der', type: 'spki' })
}
