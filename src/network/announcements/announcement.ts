// An announcement: something that every peer of a network must know, such as a job and its state, or a takedown.
//
// Named by kind and name, and signed by its author, since any peer may pass it on. Of two in the same slot the later one counts,
// by version, then peer, then value: all peers that received both hold the same one, in whatever order they came. Versions follow
// the author's clock, so that an author that lost its disk can still replace what it announced before. What an announcement may
// say, and which authors share a slot, is decided by its kind: see announcement-kind.ts.

import { hash } from 'node:crypto'
import { bytes, number, printable, text } from '../../formats/wire/message-fields.ts'
import { type Out, record } from '../../formats/wire/message-schema.ts'
import type { PeerId } from '../../platform/network/network.ts'

export const kindBytesMax = 32
/** Of any kind; each kind has narrower bounds of its own. */
export const nameBytesMax = 16 * 1024
export const valueBytesMax = 512 * 1024
const peerBytesMax = 200
const signatureBytesMax = 64
/** What a number of eight bytes can hold; how far a version may be ahead of the clock is checked by screening.ts. */
const versionMax = 2 ** 52
const idBytes = 16

const statement = {
  kind: printable(kindBytesMax).checked((kind) => kind !== '', 'an announcement without a kind'),
  name: text(nameBytesMax),
  version: number(versionMax),
  /** Its author. */
  peer: printable(peerBytesMax),
  value: bytes(valueBytesMax),
}
/** As homes kept them before announcements were signed. */
export const unsignedAnnouncement = record(statement)
export type UnsignedAnnouncement = Out<typeof unsignedAnnouncement>
export const signedAnnouncement = record({ ...statement, signature: bytes(signatureBytesMax) })
export type Announcement = Out<typeof signedAnnouncement>

/** The author's identity signs; anybody can verify. Real ones may take their time in another thread. */
export interface AnnouncementSigner {
  sign(statement: Uint8Array): Uint8Array
  verify(author: PeerId, statement: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>
}

export function isLater(one: UnsignedAnnouncement, other: UnsignedAnnouncement): boolean {
  if (one.version !== other.version) return one.version > other.version
  if (one.peer !== other.peer) return one.peer > other.peer
  return Buffer.compare(one.value, other.value) > 0
}

/** Does not include the signature: an announcement has one id. */
export function idOf(announcement: UnsignedAnnouncement): Uint8Array {
  return hash('sha256', statementOf(announcement), 'buffer').subarray(0, idBytes)
}

/** What its author signs. */
export function statementOf(announcement: UnsignedAnnouncement): Uint8Array {
  return unsignedAnnouncement.encode(announcement)
}

/** Bytes that it takes on disk and on the wire, about. */
export function sizeOf({ value, name }: UnsignedAnnouncement): number {
  return value.length + name.length + 200
}
