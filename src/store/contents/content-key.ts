// Content key: what a content is stored and asked for under. The digest of its bytes and, where different contents
// have the same digest, a number that tells them apart (Webstore's overflow).
//
// Written `sha256:…` or, for an overflow, `sha256:….1`. Where the content lies is the index's business: a key stays the
// same when its content is moved.

import { type Digest, parseDigest, printDigest } from '../../model/digest.ts'
import { StoreError } from '../store-error.ts'

export interface ContentKey {
  readonly digest: Digest
  readonly overflow: number
}

/** More contents than this never share a digest, unless someone stores them with `force-new`. */
export const overflowMax = 65_535

export function printContentKey(key: ContentKey): string {
  return key.overflow === 0 ? printDigest(key.digest) : `${printDigest(key.digest)}.${key.overflow}`
}

export function parseContentKey(text: string): ContentKey {
  const match = /^([^.]+)(?:\.([1-9]\d{0,4}))?$/.exec(text.trim())
  if (match === null) throw badKey(text)
  let digest: Digest
  try {
    digest = parseDigest(match[1]!)
  } catch (error) {
    throw badKey(text, error)
  }
  const overflow = Number(match[2] ?? 0)
  if (digest.algorithm !== 'sha256' || overflow > overflowMax) throw badKey(text)
  return { digest, overflow }
}

export function equalContentKeys(left: ContentKey, right: ContentKey): boolean {
  return left.overflow === right.overflow && Buffer.compare(left.digest.bytes, right.digest.bytes) === 0
}

function badKey(text: string, cause?: unknown): StoreError {
  const shown = JSON.stringify(text.slice(0, 80))
  return new StoreError(
    'store-bad-content-key',
    `${shown} is no content key: it must look like sha256:1f3a…`,
    cause,
  )
}
