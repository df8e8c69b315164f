// What peers ask each other about notices: hear these; what do you hold (a question of the comparison); give me those.

import { MessageMalformed, MessageReader, MessageWriter } from '../../formats/wire/message-bytes.ts'
import { checkedRange, type KeyRange } from '../replication/sums/key-range.ts'
import { rosterKeyBytesMax } from '../replication/sums/roster.ts'
import { type Notice, readNotice, sizeOf, writeNotice } from './notice.ts'

export type Question =
  | { readonly kind: 'tell'; readonly notices: readonly Notice[] }
  | { readonly kind: 'compare'; readonly bytes: Uint8Array }
  /** Without ids all in the range. */
  | { readonly kind: 'fetch'; readonly range: KeyRange; readonly ids: readonly Uint8Array[] }

export interface Fetched {
  readonly notices: readonly Notice[]
  /** Where to go on; undefined when that is all. */
  readonly next: Uint8Array | undefined
}

/** A message of notices is no longer than this, unless a single one is. */
export const messageBytesTypical = 256 * 1024
const kinds = ['tell', 'compare', 'fetch'] as const
const idBytes = 16
const idsMax = 1_024
/** Of one message: twice as many as fit into one of typical length. */
const noticesMax = 3_000

export function writeQuestion(question: Question): Uint8Array {
  const writer = new MessageWriter().byte(kinds.indexOf(question.kind))
  if (question.kind === 'tell') writeNotices(writer, question.notices)
  else if (question.kind === 'compare') writer.fixed(question.bytes)
  else {
    const { range, ids } = question
    writer.bytes(range.from).byte(range.to === undefined ? 0 : 1)
    if (range.to !== undefined) writer.bytes(range.to)
    writer.number(ids.length)
    for (const id of ids) writer.fixed(id)
  }
  return writer.finish()
}

export function readQuestion(bytes: Uint8Array): Question {
  const reader = new MessageReader(bytes)
  const kind = kinds[reader.byte()]
  if (kind === 'tell') return { kind, notices: readNotices(reader) }
  if (kind === 'compare') return { kind, bytes: reader.rest() }
  if (kind !== 'fetch') throw new MessageMalformed('an unknown question about notices')
  const from = Uint8Array.from(reader.bytes(rosterKeyBytesMax))
  const to = reader.number(1) === 1 ? Uint8Array.from(reader.bytes(rosterKeyBytesMax)) : undefined
  const ids = Array.from({ length: reader.number(idsMax) }, () => reader.copy(idBytes))
  return { kind, range: checkedRange(from, to), ids }
}

export function writeFetched({ notices, next }: Fetched): Uint8Array {
  const writer = new MessageWriter()
  writeNotices(writer, notices)
  return writer.bytes(next ?? new Uint8Array()).finish()
}

export function readFetched(bytes: Uint8Array): Fetched {
  const reader = new MessageReader(bytes)
  const notices = readNotices(reader)
  const next = Uint8Array.from(reader.bytes(rosterKeyBytesMax))
  return { notices, next: next.length === 0 ? undefined : next }
}

/** In messages of a fair size. */
export function* messagesOf(notices: Iterable<Notice>): Iterable<Notice[]> {
  let message: Notice[] = []
  let bytes = 0
  for (const notice of notices) {
    if (bytes > 0 && bytes + sizeOf(notice) > messageBytesTypical) {
      yield message
      message = []
      bytes = 0
    }
    message.push(notice)
    bytes += sizeOf(notice)
  }
  if (message.length > 0) yield message
}

function writeNotices(writer: MessageWriter, notices: readonly Notice[]): void {
  writer.number(notices.length)
  for (const notice of notices) writeNotice(writer, notice)
}

function readNotices(reader: MessageReader): Notice[] {
  return Array.from({ length: reader.number(noticesMax) }, () => readNotice(reader))
}

/** The answer to what was told: ids of what was refused, and would be again. */
export function writeRefused(ids: readonly Uint8Array[]): Uint8Array {
  const writer = new MessageWriter().number(ids.length)
  for (const id of ids) writer.fixed(id)
  return writer.finish()
}

export function readRefused(bytes: Uint8Array): Uint8Array[] {
  const reader = new MessageReader(bytes)
  return Array.from({ length: reader.number(noticesMax) }, () => reader.copy(idBytes))
}
