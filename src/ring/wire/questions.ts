// What peers ask each other about the ring, as bytes: a version, a kind, and the kind's fields.
//
// Fields are only ever added at the end, where older readers do not look. A change that older ones would misread needs a
// new version, which they refuse.

import { parseRingKey, type RingKey, ringKeyBytes } from '../../record/ring-key.ts'
import type { Word } from '../ownership.ts'
import { RingMessageMalformed } from '../ring-error.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'

export const wireVersion = 1
export const nonceBytes = 16

export type Question =
  /** The state of your position. `notifier` is which of mine may precede it, and what that has to say to one that
   * follows it. `digest` is of the state I have. */
  | {
      kind: 'state'
      position: number
      notifier: number | undefined
      word: Word | undefined
      address: string
      digest: number
    }
  /** Who owns this key? With so many of its successors at most. */
  | { kind: 'find'; key: RingKey; successorsMax: number }
  /** My position may precede yours. */
  | { kind: 'notify'; position: number; sender: number; address: string }
  /** My list has changed: yours may want to follow. */
  | { kind: 'poke'; position: number; sender: number; address: string }
  /** My position leaves, and owned the keys from there on. */
  | { kind: 'farewell'; position: number; sender: number; address: string; from: RingKey }
  /** Look yourself up through me. */
  | { kind: 'hint'; position: number; sender: number; address: string }
  /** Are you there, and are you who you say? */
  | { kind: 'ping'; position: number; nonce: Uint8Array }

/** In hundredths of a second. */
const wordUnitMs = 10
const wordOfOwner = 0xffff

const kinds = ['state', 'find', 'notify', 'poke', 'farewell', 'hint', 'ping'] as const
/** For a position that asks without saying which it is. */
const nobody = 255

export function encodeQuestion(question: Question): Uint8Array {
  const writer = new ByteWriter().u8(wireVersion).u8(kinds.indexOf(question.kind))
  if (question.kind === 'find') return writer.hex(question.key).u8(question.successorsMax).done()
  writer.u8(question.position)
  if (question.kind === 'ping') return writer.bytes(question.nonce).done()
  if (question.kind === 'state') {
    writer.u32(question.digest).u8(question.notifier ?? nobody)
    if (question.notifier !== undefined) writeWord(writer.text(question.address), question.word!)
    return writer.done()
  }
  writer.u8(question.sender).text(question.address)
  if (question.kind === 'farewell') writer.hex(question.from)
  return writer.done()
}

export function decodeQuestion(bytes: Uint8Array): Question {
  const reader = new ByteReader(bytes)
  const version = reader.u8()
  if (version !== wireVersion) throw new RingMessageMalformed(`version ${version} is not spoken here`)
  const kind = kinds[reader.u8()]
  if (kind === undefined) throw new RingMessageMalformed('a question of an unknown kind')
  if (kind === 'find')
    return { kind, key: parseRingKey(reader.hex(ringKeyBytes)), successorsMax: reader.u8() }
  const position = reader.u8()
  if (kind === 'ping') return { kind, position, nonce: reader.bytes(nonceBytes) }
  if (kind === 'state') {
    const digest = reader.u32()
    const notifier = reader.u8()
    if (notifier === nobody)
      return { kind, position, digest, notifier: undefined, word: undefined, address: '' }
    return { kind, position, digest, notifier, address: reader.text(), word: readWord(reader) }
  }
  const sender = { position, sender: reader.u8(), address: reader.text() }
  if (kind === 'farewell') return { kind, ...sender, from: parseRingKey(reader.hex(ringKeyBytes)) }
  return { kind, ...sender }
}

function writeWord(writer: ByteWriter, { isOwner, agreedMs }: Word): void {
  writer.u16(isOwner ? wordOfOwner : Math.min(Math.floor(agreedMs / wordUnitMs), wordOfOwner - 1))
}

function readWord(reader: ByteReader): Word {
  const units = reader.u16()
  return units === wordOfOwner
    ? { isOwner: true, agreedMs: 0 }
    : { isOwner: false, agreedMs: units * wordUnitMs }
}
