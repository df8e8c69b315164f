// What peers answer, as bytes. Everything in it comes from outside: places are worked out here, lists must be in order.

import { type RingKey, ringKeyBytes } from '../../record/ring-key.ts'
import type { Hold } from '../ownership.ts'
import type { Contact } from '../ring.ts'
import { RingMessageMalformed } from '../ring-error.ts'
import type { PositionState } from '../rules.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import {
  type PlaceFinder,
  readContact,
  readContacts,
  readList,
  writeContact,
  writeContacts,
  writeList,
} from './contact-coding.ts'
import { nonceBytes, wireVersion } from './questions.ts'

const hasState = 1
const hasHold = 2

/** To `state`. No state: it is still the one of the digest. */
export interface StateAnswer {
  nowMs: number
  hold: Hold | undefined
  state: PositionState | undefined
}

export type FindAnswer =
  /** The key is mine: at this position, with this predecessor and these successors. */
  | ({ kind: 'mine'; owner: Contact } & PositionState)
  /** Not mine. `likely` may own it, the nearest first; `nearer` come before the key, the nearest to it first. `before` is my
   * position behind whose place, and before whose successor's, the key lies: where one with that place would enter. */
  | { kind: 'ask'; likely: Contact[]; nearer: Contact[]; before: Contact | undefined }

/** To `ping`. */
export interface PingAnswer {
  nowMs: number
  nonce: Uint8Array
  isMember: boolean
}

export function encodeState(
  nowMs: number,
  hold: Hold | undefined,
  coded: Uint8Array | undefined,
): Uint8Array {
  const writer = begin()
    .u48(nowMs)
    .u8((coded === undefined ? 0 : hasState) | (hold === undefined ? 0 : hasHold))
  if (hold !== undefined) writer.hex(hold.place).u32(hold.remainingMs)
  if (coded !== undefined) writer.bytes(coded)
  return writer.done()
}

/** The part that the digest is of. */
export function encodePositionState({ predecessor, successors }: PositionState): Uint8Array {
  const writer = new ByteWriter()
  writeContact(writer, predecessor)
  writeList(writer, successors)
  return writer.done()
}

export function decodeState(bytes: Uint8Array, self: RingKey, placeOf: PlaceFinder): StateAnswer {
  const reader = beginReading(bytes)
  const nowMs = reader.u48()
  const parts = reader.u8()
  const hold = parts & hasHold ? { place: readKey(reader), remainingMs: reader.u32() } : undefined
  return { nowMs, hold, state: parts & hasState ? readState(reader, self, placeOf) : undefined }
}

export function encodeFind(answer: FindAnswer): Uint8Array {
  const writer = begin()
  if (answer.kind === 'mine') {
    writeContact(writer.u8(1), answer.owner)
    writeContact(writer, answer.predecessor)
    writeList(writer, answer.successors)
  } else {
    writeContacts(writer.u8(0), answer.likely)
    writeContacts(writer, answer.nearer)
    writeContacts(writer, answer.before === undefined ? [] : [answer.before])
  }
  return writer.done()
}

export function decodeFind(bytes: Uint8Array, placeOf: PlaceFinder): FindAnswer {
  const reader = beginReading(bytes)
  if (reader.u8() === 0) {
    const likely = readContacts(reader, placeOf)
    const nearer = readContacts(reader, placeOf)
    return { kind: 'ask', likely, nearer, before: readContacts(reader, placeOf)[0] }
  }
  const owner = readContact(reader, placeOf)
  return { kind: 'mine', owner, ...readState(reader, owner.place, placeOf) }
}

export function encodePing({ nowMs, nonce, isMember }: PingAnswer): Uint8Array {
  return begin()
    .u48(nowMs)
    .bytes(nonce)
    .u8(isMember ? 1 : 0)
    .done()
}

export function decodePing(bytes: Uint8Array): PingAnswer {
  const reader = beginReading(bytes)
  return { nowMs: reader.u48(), nonce: reader.bytes(nonceBytes), isMember: (reader.u8() & 1) === 1 }
}

export const acknowledgement: Uint8Array = begin().done()

function readState(reader: ByteReader, self: RingKey, placeOf: PlaceFinder): PositionState {
  const predecessor = readContact(reader, placeOf)
  return { predecessor, successors: readList(reader, self, placeOf) }
}

export function readKey(reader: ByteReader): RingKey {
  return reader.hex(ringKeyBytes) as RingKey
}

function begin(): ByteWriter {
  return new ByteWriter().u8(wireVersion)
}

function beginReading(bytes: Uint8Array): ByteReader {
  const reader = new ByteReader(bytes)
  if (reader.u8() !== wireVersion) throw new RingMessageMalformed('an answer of another version')
  return reader
}
