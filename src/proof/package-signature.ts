// The signature of a WACZ package, in the anonymous form of WACZ Auth 0.1.0: over the digest of its manifest, with a key that the
// package brings along.
//
// That specification wants ECDSA, as browsers have it (P-384, SHA-256), and peers have Ed25519 keys: so an ECDSA key is derived from
// the peer's, always the same one. That a package is of that peer is shown by the captures in it, which it signs in its own name.

import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

/** As it stands in `datapackage-digest.json`. No other fields may. */
export interface SignedData {
  readonly hash: string
  readonly created: string
  readonly software: string
  readonly version: string
  readonly signature: string
  readonly publicKey: string
}

const curve = 'secp384r1'
const coordinateBytes = 48
const version = '0.1.0'
/** As the Web Cryptography API writes them. */
const encoding = 'ieee-p1363'

export class PackageSigner {
  readonly #key: KeyObject
  readonly #publicKey: string

  /** `seed`: that of the peer's own key. */
  constructor(seed: Uint8Array) {
    this.#key = derivedKey(seed)
    this.#publicKey = createPublicKey(this.#key).export({ format: 'der', type: 'spki' }).toString('base64')
  }

  /** `hash`: of the manifest, as the package has it. */
  sign(hash: string, created: string, software: string): SignedData {
    const signature = sign('sha256', Buffer.from(hash), { key: this.#key, dsaEncoding: encoding })
    return {
      hash,
      created,
      software,
      version,
      signature: signature.toString('base64'),
      publicKey: this.#publicKey,
    }
  }
}

/** Why a signature does not hold; undefined when it does, and when it is of a form that names a domain, which is not looked at. */
export function packageFault(signed: unknown, hash: string): string | undefined {
  if (typeof signed !== 'object' || signed === null) return 'It has a signature that cannot be read.'
  const data = signed as Partial<Record<keyof SignedData | 'domain', unknown>>
  if (data.hash !== hash) return 'It is signed for another manifest.'
  if (data.domain !== undefined) return undefined
  if (typeof data.signature !== 'string' || typeof data.publicKey !== 'string')
    return 'It has a signature that cannot be read.'
  try {
    const der = Buffer.from(data.publicKey, 'base64')
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    const signature = Buffer.from(data.signature, 'base64')
    const isRight = verify('sha256', Buffer.from(hash), { key, dsaEncoding: encoding }, signature)
    return isRight ? undefined : 'Its signature does not hold.'
  } catch {
    return 'It has a signature that cannot be read.'
  }
}

function derivedKey(seed: Uint8Array): KeyObject {
  // Below the order of the curve but for one seed in 2 ** 190; then OpenSSL says so.
  const secret = Buffer.from(hkdfSync('sha256', seed, '', 'polyhistor package signature 1', coordinateBytes))
  const ecdh = createECDH(curve)
  ecdh.setPrivateKey(secret)
  const point = ecdh.getPublicKey()
  const part = (from: number): string => point.subarray(from, from + coordinateBytes).toString('base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-384',
    d: secret.toString('base64url'),
    x: part(1),
    y: part(1 + coordinateBytes),
  }
  return createPrivateKey({ key: jwk, format: 'jwk' })
}
