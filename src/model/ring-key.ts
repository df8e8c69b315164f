// Ring key: a place on the ring of 2^160, the first 20 bytes of a SHA-256.
//
// Written as 40 lower-case hex digits, so that keys compare as strings in the order of the ring.

import { hash } from 'node:crypto'
import { PolyhistorError } from '../errors.ts'
import type { SiteKey } from './url/site.ts'

export type RingKey = string & { readonly __brand: 'RingKey' }

export const ringKeyBytes = 20

class RingKeyError extends PolyhistorError {
  constructor(text: string) {
    super('ring-key-malformed', `"${text.slice(0, 60)}" is no ring key: it must be 40 lower-case hex digits`)
  }
}

/** Where a site lives. */
export function ringKeyOfSite(site: SiteKey): RingKey {
  return ringKeyOf(site)
}

/** Where anything else lives, by the bytes (or the UTF-8) that identify it. */
export function ringKeyOf(identity: string | Uint8Array): RingKey {
  return hash('sha256', identity, 'hex').slice(0, 2 * ringKeyBytes) as RingKey
}

/** The place right before this one. */
export function placeBefore(place: RingKey): RingKey {
  const circle = 1n << BigInt(8 * ringKeyBytes)
  const number = (BigInt(`0x${place}`) + circle - 1n) % circle
  return number.toString(16).padStart(2 * ringKeyBytes, '0') as RingKey
}

export function ringKeyToBytes(key: RingKey): Uint8Array {
  return Buffer.from(key, 'hex')
}

export function ringKeyFromBytes(bytes: Uint8Array): RingKey {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
  return parseRingKey(text)
}

export function parseRingKey(text: string): RingKey {
  if (!/^[0-9a-f]{40}$/.test(text)) throw new RingKeyError(text)
  return text as RingKey
}
