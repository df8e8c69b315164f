// Keys of events: with their site, by number; and in the index over all sites of this frontier, by stamp.
//
//   frontier-sites     site 'e'               the site's event head
//   frontier-sites     site 'e' sequence      an event: see changes/event-coding.ts
//   frontier-changes   stamp site sequence    how many bytes the event has
//   frontier-changes   0xff name              notes of this frontier's own

import { entryKinds, sitePrefixBytes } from '../sites/site-keys.ts'

const numberBytes = 6
const sizeBytes = 4
export const indexKeyBytes = numberBytes + sitePrefixBytes + numberBytes
/** Larger than any honest clock's. */
export const stampMax = 2 ** 47

export const indexStart = Buffer.alloc(1)
/** Notes lie behind it. */
export const indexEnd = Buffer.of(0xff)
export const droppedKey = Buffer.from('\xffdropped', 'latin1')
export const promisedKey = Buffer.from('\xffpromised', 'latin1')

export function eventHeadKey(site: Buffer): Buffer {
  return Buffer.concat([site, Buffer.from(entryKinds.event)])
}

export function eventKey(site: Buffer, sequence: number): Buffer {
  const key = Buffer.alloc(sitePrefixBytes + 1 + numberBytes)
  key.set(site)
  key[sitePrefixBytes] = entryKinds.event.charCodeAt(0)
  key.writeUIntBE(sequence, sitePrefixBytes + 1, numberBytes)
  return key
}

export function indexKey(stamp: number, site: Buffer, sequence: number): Buffer {
  const key = Buffer.alloc(indexKeyBytes)
  key.writeUIntBE(stamp, 0, numberBytes)
  key.set(site, numberBytes)
  key.writeUIntBE(sequence, numberBytes + sitePrefixBytes, numberBytes)
  return key
}

export function readIndexKey(key: Buffer): { stamp: number; site: Buffer; sequence: number } {
  return {
    stamp: key.readUIntBE(0, numberBytes),
    site: key.subarray(numberBytes, numberBytes + sitePrefixBytes),
    sequence: key.readUIntBE(numberBytes + sitePrefixBytes, numberBytes),
  }
}

export function sizeValue(bytes: number): Buffer {
  const value = Buffer.alloc(sizeBytes)
  value.writeUInt32BE(bytes)
  return value
}

export function readSize(value: Uint8Array): number {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).readUInt32BE(0)
}

/** Whether what follows the kind in an entry's name is that of an event, not of a head. */
export function isEventName(rest: string): boolean {
  return rest.length === numberBytes
}
