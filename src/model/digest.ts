// Digest: what a payload is known by. SHA-256 for ourselves, SHA-1 for the archives that came before.
//
// Written as the tools in use write them: `sha1:` in upper-case Base32 (Heritrix, Wayback), `sha256:` in
// lower-case hex (Browsertrix). Read in every spelling found in archives: either alphabet, either case, `sha-256`,
// `SHA256`, with Base32 padding, and bare, where the length tells. Bytes always have their algorithm's length.

import { createHash, type Hash, hash } from 'node:crypto'
import { PolyhistorError } from '../errors.ts'
import { base32Of, bytesOfBase32 } from './base32.ts'

type DigestAlgorithm = 'sha1' | 'sha256'

export interface Digest {
  readonly algorithm: DigestAlgorithm
  readonly bytes: Uint8Array
}

export class DigestError extends PolyhistorError {
  declare readonly code: 'digest-malformed' | 'digest-unknown-algorithm'
}

const digestBytes: Readonly<Record<DigestAlgorithm, number>> = { sha1: 20, sha256: 32 }

const algorithmNames: ReadonlyMap<string, DigestAlgorithm> = new Map([
  ['sha1', 'sha1'],
  ['sha-1', 'sha1'],
  ['sha256', 'sha256'],
  ['sha-256', 'sha256'],
])

/** Lengths of bare digests: hex and Base32 of either algorithm are all different. */
const algorithmByChars: ReadonlyMap<number, DigestAlgorithm> = new Map([
  [32, 'sha1'],
  [40, 'sha1'],
  [52, 'sha256'],
  [64, 'sha256'],
])

export function parseDigest(text: string): Digest {
  const colon = text.indexOf(':')
  const value = text
    .slice(colon + 1)
    .trim()
    .replace(/={1,6}$/, '')
  const algorithm = colon === -1 ? algorithmByChars.get(value.length) : namedAlgorithm(text.slice(0, colon))
  const bytes = algorithm === undefined ? undefined : bytesOfValue(value, digestBytes[algorithm])
  if (algorithm === undefined || bytes === undefined) {
    throw new DigestError('digest-malformed', `"${shorten(text)}" is no SHA-1 or SHA-256 digest`)
  }
  return { algorithm, bytes }
}

/** The spelling that other tools expect of the algorithm. */
export function printDigest(digest: Digest): string {
  return digest.algorithm === 'sha1' ? `sha1:${base32Of(digest.bytes)}` : `sha256:${digestHex(digest)}`
}

export function digestHex(digest: Digest): string {
  const { buffer, byteOffset, byteLength } = digest.bytes
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex')
}

export function digestOf(algorithm: DigestAlgorithm, content: Uint8Array | string): Digest {
  return { algorithm, bytes: hash(algorithm, content, 'buffer') }
}

export function equalDigests(left: Digest, right: Digest): boolean {
  return left.algorithm === right.algorithm && Buffer.compare(left.bytes, right.bytes) === 0
}

/** Digests content as it streams by. */
export class Digester {
  readonly #algorithm: DigestAlgorithm
  readonly #hash: Hash

  constructor(algorithm: DigestAlgorithm) {
    this.#algorithm = algorithm
    this.#hash = createHash(algorithm)
  }

  update(chunk: Uint8Array): this {
    this.#hash.update(chunk)
    return this
  }

  /** Ends the stream: call once. */
  finish(): Digest {
    return { algorithm: this.#algorithm, bytes: this.#hash.digest() }
  }
}

function namedAlgorithm(name: string): DigestAlgorithm {
  const algorithm = algorithmNames.get(name.trim().toLowerCase())
  if (algorithm !== undefined) return algorithm
  throw new DigestError(
    'digest-unknown-algorithm',
    `"${shorten(name)}" digests are not supported: only SHA-1 and SHA-256`,
  )
}

function bytesOfValue(value: string, length: number): Uint8Array | undefined {
  if (value.length === 2 * length) return /^[0-9a-f]*$/i.test(value) ? Buffer.from(value, 'hex') : undefined
  return value.length === Math.ceil((8 * length) / 5) ? bytesOfBase32(value) : undefined
}

function shorten(text: string): string {
  return text.slice(0, 80)
}
