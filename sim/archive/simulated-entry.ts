// Entries of a simulated archive: small, told apart by their number, and some resting on an earlier one as a delta does.

import { hash } from 'node:crypto'
import { type RingKey, ringKeyToBytes } from '../../src/model/ring-key.ts'
import { parseUrl } from '../../src/model/url/url.ts'

export interface SimulatedEntry {
  readonly number: number
  readonly url: string
  /** Where its site lies on the ring. */
  readonly place: RingKey
  /** What the keys of all entries of its URL begin with. */
  readonly urlKey: Uint8Array
  /** What rosters know it by: ring key, path, 7 bytes of time, 16 of its id. A real store makes one of its own. */
  readonly key: Uint8Array
  readonly id: Uint8Array
  readonly payload: Uint8Array
  /** The entry that it is kept as a delta of. */
  readonly base: Uint8Array | undefined
}

export interface EntryRequest {
  readonly number: number
  readonly url: string
  readonly payloadBytes: number
  readonly base?: SimulatedEntry | undefined
}

const timeBytes = 7
const idBytes = 16

export function simulatedEntry({ number, url, payloadBytes, base }: EntryRequest): SimulatedEntry {
  const id = Buffer.from(hash('sha256', `entry ${number}`, 'hex'), 'hex').subarray(0, idBytes)
  const time = Buffer.alloc(timeBytes)
  time.writeUIntBE(number, 1, 6)
  const urlKey = keyOfUrl(url)
  return {
    number,
    url,
    place: parseUrl(url).ringKey,
    urlKey,
    key: new Uint8Array(Buffer.concat([urlKey, time, id])),
    id: new Uint8Array(id),
    payload: new Uint8Array(payloadBytes).fill(number),
    base: base?.key,
  }
}

/** Of all entries of the URL: the time's first byte ends the path. */
export function keyOfUrl(url: string): Uint8Array {
  const { ringKey } = parseUrl(url)
  return Buffer.concat([ringKeyToBytes(ringKey), Buffer.from(new URL(url).pathname)])
}

/** As it travels: the lengths of its key and its base's, both of them, and the payload. Whole, it has no base. */
export function writeEntry({ key, base, payload }: SimulatedEntry, isWhole: boolean): Uint8Array {
  const rest = isWhole || base === undefined ? new Uint8Array() : base
  return Buffer.concat([Uint8Array.of(key.length, rest.length), key, rest, payload])
}

export interface TravelledEntry {
  readonly key: Uint8Array
  readonly id: Uint8Array
  readonly base: Uint8Array | undefined
}

export function readEntry(bytes: Uint8Array): TravelledEntry {
  const [keyLength, baseLength] = [bytes[0]!, bytes[1]!]
  const key = bytes.slice(2, 2 + keyLength)
  const base = bytes.slice(2 + keyLength, 2 + keyLength + baseLength)
  return { key, id: key.slice(-idBytes), base: baseLength === 0 ? undefined : base }
}

/** For maps by key. */
export function nameOf(key: Uint8Array): string {
  return Buffer.prototype.latin1Slice.call(key)
}
