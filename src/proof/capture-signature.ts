// The signature of a capture, as it stands in the field `Polyhistor-Signature` of its record.
//
// One Ed25519 signature holds for all captures of a moment: it is of the root of a Merkle tree over their statements, and each capture
// has the path from its own to that root. So many captures cost one signature to make and one to verify.
//
//   version (1), flags, public key (32), time of signing (6), captures (1), place among them (1), path (32 each), signature (64)
//
// in base64url. Invariant: one capture and one signature have one text; another text is no signature.

import { LruCache } from '../model/lru-cache.ts'
import { asText } from '../platform/storage/ordered-map.ts'
import { type CapturedFacts, type Signing, statementLeaf } from './capture-statement.ts'
import { isSignedBy, keyBytes, type SigningKey, signatureBytes } from './ed25519.ts'
import {
  areEqual,
  type EntryRange,
  type Hash,
  hashBytes,
  inclusionRanges,
  nodeHash,
  splitOf,
} from './merkle-tree.ts'
import { SignedTree } from './signed-tree.ts'

export interface CaptureSignature extends Signing {
  readonly signedAtMs: number
  /** Captures that were signed together, and which of them this is. */
  readonly count: number
  readonly index: number
  readonly path: readonly Hash[]
  readonly signature: Uint8Array
}

/** A capture that was signed here: the text of its field, and its leaf for the log. */
export interface SignedCapture {
  readonly field: string
  readonly leaf: Hash
}

export const signatureField = 'Polyhistor-Signature'
/** More are signed apart: paths grow with their number, and each capture has one. */
export const signedTogetherMax = 16

const version = 1
const flagImported = 1
const flagPayloadUnknown = 2
const headBytes = 2 + keyBytes + 6 + 2
const purpose = Buffer.from('polyhistor captures 1\n')
const verifiedMax = 4_096

/** Signs them together. */
export function signCaptures(
  key: SigningKey,
  captures: readonly { readonly facts: CapturedFacts; readonly isImported: boolean }[],
  signedAtMs: number,
): SignedCapture[] {
  return signatureFields(key.publicKey, captures, signedAtMs, (message) => key.sign(message))
}

/** The fields of captures that were signed together, by whoever can sign, or knows the signature of all. */
export function signatureFields(
  key: Uint8Array,
  captures: readonly { readonly facts: CapturedFacts; readonly isImported: boolean }[],
  signedAtMs: number,
  sign: (message: Uint8Array) => Uint8Array,
): SignedCapture[] {
  const signings = captures.map(({ facts, isImported }) => ({
    key,
    isImported,
    isPayloadUnknown: facts.payloadDigest === undefined,
  }))
  const leaves = captures.map(({ facts }, index) => statementLeaf(facts, signings[index]!))
  const hashOf = rememberedRanges(leaves)
  const signature = sign(signedMessage(hashOf([0, leaves.length]), leaves.length, signedAtMs))
  return leaves.map((leaf, index) => {
    const path = inclusionRanges(index, leaves.length).map(hashOf)
    const whole = { ...signings[index]!, signedAtMs, count: leaves.length, index, path, signature }
    return { field: printSignature(whole), leaf }
  })
}

/** The paths of neighbours have most of their nodes in common. */
function rememberedRanges(leaves: readonly Hash[]): (range: EntryRange) => Hash {
  const known = new Map<number, Hash>()
  const hashOf = ([from, to]: EntryRange): Hash => {
    if (to - from === 1) return leaves[from]!
    const name = from * (leaves.length + 1) + to
    const middle = from + splitOf(to - from)
    const hash = known.get(name) ?? nodeHash(hashOf([from, middle]), hashOf([middle, to]))
    known.set(name, hash)
    return hash
  }
  return hashOf
}

/** What is signed. */
export function signedMessage(root: Hash, count: number, signedAtMs: number): Uint8Array {
  const message = Buffer.alloc(purpose.length + 12 + hashBytes)
  purpose.copy(message)
  message.writeBigUInt64BE(BigInt(signedAtMs), purpose.length)
  message.writeUInt32BE(count, purpose.length + 8)
  message.set(root, purpose.length + 12)
  return message
}

export function printSignature(signature: CaptureSignature): string {
  const { key, isImported, isPayloadUnknown, signedAtMs, count, index, path } = signature
  const head = Buffer.alloc(headBytes)
  head[0] = version
  head[1] = (isImported ? flagImported : 0) + (isPayloadUnknown ? flagPayloadUnknown : 0)
  head.set(key, 2)
  head.writeUIntBE(signedAtMs, 2 + keyBytes, 6)
  head[headBytes - 2] = count
  head[headBytes - 1] = index
  return Buffer.concat([head, ...path, signature.signature]).toString('base64url')
}

/** undefined for what cannot be one. */
export function parseSignature(text: string): CaptureSignature | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < headBytes + signatureBytes || bytes[0] !== version) return undefined
  const [flags, count, index] = [bytes[1]!, bytes[headBytes - 2]!, bytes[headBytes - 1]!]
  if (flags > (flagImported | flagPayloadUnknown) || count > signedTogetherMax || index >= count)
    return undefined
  const hashes = inclusionRanges(index, count).length
  // Base64 has several texts for some bytes.
  if (bytes.length !== headBytes + hashes * hashBytes + signatureBytes) return undefined
  if (bytes.toString('base64url') !== text) return undefined
  return {
    key: bytes.subarray(2, 2 + keyBytes),
    isImported: (flags & flagImported) !== 0,
    isPayloadUnknown: (flags & flagPayloadUnknown) !== 0,
    signedAtMs: bytes.readUIntBE(2 + keyBytes, 6),
    count,
    index,
    path: Array.from({ length: hashes }, (_, place) => {
      const at = headBytes + place * hashBytes
      return bytes.subarray(at, at + hashBytes)
    }),
    signature: bytes.subarray(-signatureBytes),
  }
}

/** By so much a capture may be older than its signature, and than a head of the log that lacks it. */
export const lateMsMax = 86_400_000

/** Who fetches a page signs it at once: a signature of another time is not of a capture of that time. */
export function isSignedInTime(
  { isImported, signedAtMs }: Pick<CaptureSignature, 'isImported' | 'signedAtMs'>,
  capturedAtMs: number,
): boolean {
  return isImported || Math.abs(signedAtMs - capturedAtMs) <= lateMsMax
}

/** Trees whose signature was found right: the next captures of the same moment need little more than their leaf. */
const verified = new LruCache<string, VerifiedTree>({ max: verifiedMax })

interface VerifiedTree {
  readonly key: Uint8Array
  readonly signedAtMs: number
  readonly tree: SignedTree
}

export function holds(signed: CaptureSignature, facts: CapturedFacts): boolean {
  // Its statement would be the same with either flag, and each signature has one text.
  if (facts.payloadDigest === undefined && !signed.isPayloadUnknown) return false
  const { key, count, signedAtMs, signature, index, path } = signed
  const leaf = statementLeaf(facts, signed)
  const name = asText(signature)
  const known = verified.get(name)
  const isKnown =
    known !== undefined &&
    known.tree.count === count &&
    known.signedAtMs === signedAtMs &&
    areEqual(known.key, key)
  if (isKnown) return known.tree.proves(leaf, index, path, () => false)
  const tree = new SignedTree(count)
  const isSigned = (root: Hash) => isSignedBy(key, signedMessage(root, count, signedAtMs), signature)
  if (!tree.proves(leaf, index, path, isSigned)) return false
  // Memory of its own: the key is a part of the whole signature.
  verified.set(name, { key: Uint8Array.from(key), signedAtMs, tree })
  return true
}
