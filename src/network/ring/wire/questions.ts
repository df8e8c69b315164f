// What peers ask each other about the ring, as bytes: a version, a kind, and the kind's fields.
//
// Fields are only ever added at the end, where older readers do not look. A change that older ones would misread needs a
// new version, which they refuse.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { parseRingKey, type RingKey, ringKeyBytes } from '../../../model/ring-key.ts'
import type { Word } from '../protocol/ownership.ts'
import { readText } from './contact-coding.ts'
import { readNames, writeNames } from './tickets.ts'

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
  /** You named these peers: show their tickets. */
  | { kind: 'tickets'; peers: string[] }

/** In hundredths of a second. */
const wordUnitMs = 10
const wordOfOwner = 0xffff

const kinds = ['state', 'find', 'notify', 'poke', 'farewell', 'hint', 'ping', 'tickets'] as const
/** For a position that asks without saying which it is. */
const nobody = 255

export function encodeQuestion(question: Question): Uint8Array {
  const writer = new MessageWriter().byte(wireVersion).byte(kinds.indexOf(question.kind))
  if (question.kind === 'find') return writer.hex(question.key).byte(question.successorsMax).finish()
  if (question.kind === 'tickets') return writeNames(writer, question.peers).finish()
  writer.byte(question.position)
  if (question.kind === 'ping') return writer.fixed(question.nonce).finish()
  if (question.kind === 'state') {
    writer.uint(question.digest, 4).byte(question.notifier ?? nobody)
    if (question.notifier !== undefined) writeWord(writer.text(question.address), question.word!)
    return writer.finish()
  }
  writer.byte(question.sender).text(question.address)
  if (question.kind === 'farewell') writer.hex(question.from)
  return writer.finish()
}

export function decodeQuestion(bytes: Uint8Array): Question {
  const reader = new MessageReader(bytes)
  const version = reader.byte()
  if (version !== wireVersion) throw new MessageMalformed(`version ${version} is not spoken here`)
  const kind = kinds[reader.byte()]
  if (kind === undefined) throw new MessageMalformed('a question of an unknown kind')
  if (kind === 'find')
    return { kind, key: parseRingKey(reader.hex(ringKeyBytes)), successorsMax: reader.byte() }
  if (kind === 'tickets') return { kind, peers: readNames(reader) }
  const position = reader.byte()
  if (kind === 'ping') return { kind, position, nonce: reader.fixed(nonceBytes) }
  if (kind === 'state') {
    const digest = reader.uint(4)
    const notifier = reader.byte()
    if (notifier === nobody)
      return { kind, position, digest, notifier: undefined, word: undefined, address: '' }
    return { kind, position, digest, notifier, address: readText(reader), word: readWord(reader) }
  }
  const sender = { position, sender: reader.byte(), address: readText(reader) }
  if (kind === 'farewell') return { kind, ...sender, from: parseRingKey(reader.hex(ringKeyBytes)) }
  return { kind, ...sender }
}

function writeWord(writer: MessageWriter, { isOwner, agreedMs }: Word): void {
  writer.uint(isOwner ? wordOfOwner : Math.min(Math.floor(agreedMs / wordUnitMs), wordOfOwner - 1), 2)
}

function readWord(reader: MessageReader): Word {
  const units = reader.uint(2)
  return units === wordOfOwner
    ? { isOwner: true, agreedMs: 0 }
    : { isOwner: false, agreedMs: units * wordUnitMs }
}
