// Ed25519 as this folder uses it: raw keys, and signatures that say what they are for.
//
// Invariant: what was signed for one purpose holds for no other: the purpose is part of what is signed, and fields cannot
// run into each other.

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** 32 bytes that the secret key is made from. */
export type Seed = Uint8Array
/** 32 bytes. */
export type PublicKey = Uint8Array

type Purpose = 'invitation' | 'membership' | 'witness' | 'confirmation' | 'notice' | 'role' | 'release'

export const keyBytes = 32
export const signatureBytes = 64

// A raw key with what PKCS #8 and SPKI put before it.
const secretPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')

export function publicKeyOf(seed: Seed): PublicKey {
  const der = createPublicKey(secretKey(seed)).export({ format: 'der', type: 'spki' })
  return new Uint8Array(der.subarray(publicPrefix.length))
}

export function signFor(purpose: Purpose, fields: readonly string[], seed: Seed): Uint8Array {
  return new Uint8Array(sign(null, statement(purpose, fields), secretKey(seed)))
}

export function isSigned(
  purpose: Purpose,
  fields: readonly string[],
  signature: Uint8Array,
  key: PublicKey,
): boolean {
  if (key.length !== keyBytes || signature.length !== signatureBytes) return false
  return verify(null, statement(purpose, fields), publicKeyObject(key), signature)
}

export type SignatureCheck = (...signed: Parameters<typeof isSigned>) => boolean | Promise<boolean>

/** The same in another thread, for many. */
export function isSignedAsync(
  purpose: Purpose,
  fields: readonly string[],
  signature: Uint8Array,
  key: PublicKey,
): Promise<boolean> {
  if (key.length !== keyBytes || signature.length !== signatureBytes) return Promise.resolve(false)
  return new Promise((resolve) => {
    verify(null, statement(purpose, fields), publicKeyObject(key), signature, (error, isRight) =>
      resolve(error === null && isRight),
    )
  })
}

function publicKeyObject(key: PublicKey): KeyObject {
  return createPublicKey({ key: Buffer.concat([publicPrefix, key]), format: 'der', type: 'spki' })
}

function secretKey(seed: Seed): KeyObject {
  return createPrivateKey({ key: Buffer.concat([secretPrefix, seed]), format: 'der', type: 'pkcs8' })
}

function statement(purpose: Purpose, fields: readonly string[]): Uint8Array {
  return Buffer.from(JSON.stringify([`polyhistor ${purpose} 1`, ...fields]))
}
