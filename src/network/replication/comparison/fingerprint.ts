// A fingerprint: what is sent of a tally to tell whether the other has the same.
//
// Eight bytes of a digest over it and a salt that is drawn for each comparison. Two tallies that differ have the same
// fingerprint with a chance of 2^-64, so among the 10^5 parts that a large comparison looks at one goes unseen in 10^14
// comparisons; the next one, with another salt, sees it. Without the salt it would stay unseen, and could be made.

import { hash } from 'node:crypto'
import type { Tally } from '../sums/tally.ts'

export const saltBytes = 8
export const fingerprintBytes = 8

export function fingerprintOf(salt: Uint8Array, tally: Tally): Uint8Array {
  return hash('sha256', Buffer.concat([salt, tally.toBytes()]), 'buffer').subarray(0, fingerprintBytes)
}
