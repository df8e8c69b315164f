// A release: the version of the program that a network runs, or a later one, with the digest of its package, signed by the network's key.
//
// Whoever knows the network can check it and needs to believe nobody: a volunteer hears of it from any peer. Versions are compared by
// their numbers, and only a later one than the own is ever news: nobody goes back by the word of a network.

import * as v from 'valibot'
import { type ArchiveNetwork, networkIdOf } from '../membership/archive-network.ts'
import { bytesToText } from '../membership/fields.ts'
import { isSigned, type Seed, signatureBytes, signFor } from '../membership/signing.ts'

export interface Release {
  readonly version: string
  /** Of the package, as npm writes it: sha512-… */
  readonly integrity: string
  /** By the network's key, base64url. */
  readonly signature: string
}

export const releaseBytesMax = 400
const versionPattern = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/
/** 64 bytes as base64. */
const integrityPattern = /^sha512-[A-Za-z0-9+/]{86}==$/

const schema = v.strictObject({
  version: v.pipe(v.string(), v.regex(versionPattern)),
  integrity: v.pipe(v.string(), v.regex(integrityPattern)),
  signature: v.pipe(v.string(), v.regex(/^[\w-]{86}$/)),
})

/** Whether these can be released: a version such as 1.2.3 without anything behind it. */
export function isReleasable(version: string, integrity: string): boolean {
  return versionPattern.test(version) && integrityPattern.test(integrity)
}

export function signRelease(
  network: ArchiveNetwork,
  seed: Seed,
  { version, integrity }: Pick<Release, 'version' | 'integrity'>,
): Release {
  const signature = signFor('release', [networkIdOf(network), version, integrity], seed)
  return { version, integrity, signature: bytesToText(signature) }
}

export function isOfNetwork({ version, integrity, signature }: Release, network: ArchiveNetwork): boolean {
  const bytes = Buffer.from(signature, 'base64url')
  if (bytes.length !== signatureBytes) return false
  return isSigned('release', [networkIdOf(network), version, integrity], bytes, network.key)
}

export function writeRelease(release: Release): Uint8Array {
  return Buffer.from(JSON.stringify(release))
}

/** undefined for what is none. Says nothing of who signed it. */
export function readRelease(bytes: Uint8Array): Release | undefined {
  if (bytes.length > releaseBytesMax) return undefined
  try {
    const read = v.safeParse(schema, JSON.parse(Buffer.from(bytes).toString()))
    return read.success ? read.output : undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

/** Whether the one version is later than the other. What is no plain version (of a build between two, say) is later than nothing, and
 * only plain ones are later than it that are so by its numbers. */
export function isLaterVersion(one: string, other: string): boolean {
  const [left, right] = [versionPattern.exec(one), /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})/.exec(other)]
  if (left === null || right === null) return false
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part])
    if (difference !== 0) return difference > 0
  }
  return false
}
