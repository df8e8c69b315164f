// What peers ask each other about notices: hear these; what do you hold (a question of the comparison); give me those.

import { bytes, fixed, rest } from '../../formats/wire/message-fields.ts'
import { type In, list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import { checkedRange, type KeyRange } from '../replication/sums/key-range.ts'
import { rosterKeyBytesMax } from '../replication/sums/roster.ts'
import { type Notice, signedNotice, sizeOf } from './notice.ts'

/** A message of notices is no longer than this, unless a single one is. */
export const messageBytesTypical = 256 * 1024
const idsMax = 1_024
/** Of one message: twice as many as fit into one of typical length. */
const noticesMax = 3_000

const id = fixed(16)
const key = bytes(rosterKeyBytesMax)
const range = record({ from: key, to: optional(key) }).as<KeyRange>(
  ({ from, to }) => checkedRange(from, to),
  (given) => given,
)
const notices = list(signedNotice, noticesMax)

export const noticesQuestion = union('question about notices', {
  tell: { notices },
  /** See ../comparison. */
  compare: { bytes: rest },
  /** Without ids all in the range. */
  fetch: { range, ids: list(id, idsMax) },
})
export type NoticesQuestion = In<typeof noticesQuestion>

/** `next`: where to go on; undefined when that is all. */
export const fetchedNotices = record({
  notices,
  next: key.as<Uint8Array | undefined>(
    (next) => (next.length === 0 ? undefined : next),
    (next) => next ?? new Uint8Array(),
  ),
})
export type FetchedNotices = Out<typeof fetchedNotices>

/** The answer to what was told: ids of what was refused, and would be again. */
export const refusedIds = list(id, noticesMax)

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
