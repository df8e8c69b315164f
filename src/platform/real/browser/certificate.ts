// The certificate that the proxy shows to its own browser: self-signed, one for all names, its key in memory only.
//
// The browser takes it for the hash of its key, whatever else it says; so name and dates are the same in each.
// Node makes keys and signatures but no certificates, and this is all that is needed of X.509.

import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

export interface ProxyCertificate {
  readonly key: KeyObject
  readonly pem: string
  /** SHA-256 of the public key in base64, as `--ignore-certificate-errors-spki-list` takes it. */
  readonly keyHash: string
}

const tag = {
  integer: 0x02,
  bits: 0x03,
  oid: 0x06,
  text: 0x0c,
  time: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
}
const ecdsaWithSha256 = '2a8648ce3d040302'
const commonName = '550403'

export function makeProxyCertificate(): ProxyCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const algorithm = der(tag.sequence, der(tag.oid, Buffer.from(ecdsaWithSha256, 'hex')))
  const signed = der(
    tag.sequence,
    der(tag.version, der(tag.integer, Buffer.from([2]))),
    der(tag.integer, Buffer.from([1])),
    algorithm,
    name,
    der(
      tag.sequence,
      der(tag.time, Buffer.from('200101000000Z')),
      der(tag.time, Buffer.from('491231235959Z')),
    ),
    name,
    spki,
  )
  const signature = der(tag.bits, Buffer.from([0]), sign('sha256', signed, privateKey))
  const base64 = der(tag.sequence, signed, algorithm, signature).toString('base64')
  return {
    key: privateKey,
    pem: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    keyHash: createHash('sha256').update(spki).digest('base64'),
  }
}

const name = der(
  tag.sequence,
  der(
    tag.set,
    der(tag.sequence, der(tag.oid, Buffer.from(commonName, 'hex')), der(tag.text, Buffer.from('polyhistor'))),
  ),
)

function der(type: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const head = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([type, ...head]), content])
}
