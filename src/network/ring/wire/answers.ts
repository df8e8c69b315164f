// What peers answer, as bytes. Everything in it comes from outside: places are worked out here, lists must be in order.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { fixedView, flag, ringKey, uint } from '../../../formats/wire/message-fields.ts'
import { record, versioned } from '../../../formats/wire/message-schema.ts'
import type { RingKey } from '../../../model/ring-key.ts'
import type { Hold } from '../protocol/ownership.ts'
import type { PositionState } from '../protocol/rules.ts'
import type { Contact } from '../ring.ts'
import {
  type ContactFinder,
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

export const pingAnswer = versioned(
  wireVersion,
  record({ nowMs: uint(6), nonce: fixedView(nonceBytes), isMember: flag }),
  otherVersion,
)

export function encodeState(
  nowMs: number,
  hold: Hold | undefined,
  coded: Uint8Array | undefined,
): Uint8Array {
  const writer = begin()
    .uint(nowMs, 6)
    .byte((coded === undefined ? 0 : hasState) | (hold === undefined ? 0 : hasHold))
  if (hold !== undefined) writer.hex(hold.place).uint(hold.remainingMs, 4)
  if (coded !== undefined) writer.fixed(coded)
  return writer.finish()
}

/** The part that the digest is of. */
export function encodePositionState({ predecessor, successors }: PositionState): Uint8Array {
  const writer = new MessageWriter()
  writeContact(writer, predecessor)
  writeList(writer, successors)
  return writer.finish()
}

export function decodeState(bytes: Uint8Array, self: RingKey, contactOf: ContactFinder): StateAnswer {
  const reader = beginReading(bytes)
  const nowMs = reader.uint(6)
  const parts = reader.byte()
  const hold = parts & hasHold ? { place: ringKey.read(reader), remainingMs: reader.uint(4) } : undefined
  return { nowMs, hold, state: parts & hasState ? readState(reader, self, contactOf) : undefined }
}

export function encodeFind(answer: FindAnswer): Uint8Array {
  const writer = begin()
  if (answer.kind === 'mine') {
    writeContact(writer.byte(1), answer.owner)
    writeContact(writer, answer.predecessor)
    writeList(writer, answer.successors)
  } else {
    writeContacts(writer.byte(0), answer.likely)
    writeContacts(writer, answer.nearer)
    writeContacts(writer, answer.before === undefined ? [] : [answer.before])
  }
  return writer.finish()
}

export function decodeFind(bytes: Uint8Array, contactOf: ContactFinder): FindAnswer {
  const reader = beginReading(bytes)
  if (reader.byte() === 0) {
    const likely = readContacts(reader, contactOf)
    const nearer = readContacts(reader, contactOf)
    return { kind: 'ask', likely, nearer, before: readContacts(reader, contactOf)[0] }
  }
  const owner = readContact(reader, contactOf)
  return { kind: 'mine', owner, ...readState(reader, owner.place, contactOf) }
}

export const acknowledgement: Uint8Array = begin().finish()

function readState(reader: MessageReader, self: RingKey, contactOf: ContactFinder): PositionState {
  const predecessor = readContact(reader, contactOf)
  return { predecessor, successors: readList(reader, self, contactOf) }
}

function begin(): MessageWriter {
  return new MessageWriter().byte(wireVersion)
}

function beginReading(bytes: Uint8Array): MessageReader {
  const reader = new MessageReader(bytes)
  if (reader.byte() !== wireVersion) throw otherVersion()
  return reader
}

function otherVersion(): MessageMalformed {
  return new MessageMalformed('an answer of another version')
}
