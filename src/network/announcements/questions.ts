// Messages between peers about announcements: new ones, steps of a comparison, and fetches.

import { bytes, fixed, rest } from '../../formats/wire/message-fields.ts'
import { type In, list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import { checkedRange, type KeyRange } from '../replication/sums/key-range.ts'
import { rosterKeyBytesMax } from '../replication/sums/roster.ts'
import { type Announcement, signedAnnouncement, sizeOf } from './announcement.ts'

/** A message of announcements is no longer than this, unless a single one is. */
export const messageBytesTypical = 256 * 1024
const idsMax = 1_024
/** Of one message: twice as many as fit into one of typical length. */
const announcementsMax = 3_000

const id = fixed(16)
const key = bytes(rosterKeyBytesMax)
const range = record({ from: key, to: optional(key) }).as<KeyRange>(
  ({ from, to }) => checkedRange(from, to),
  (given) => given,
)
const announcements = list(signedAnnouncement, announcementsMax)

export const announcementsQuestion = union('request about announcements', {
  tell: { announcements },
  /** See ../comparison. */
  compare: { bytes: rest },
  /** Without ids all in the range. */
  fetch: { range, ids: list(id, idsMax) },
})
export type AnnouncementsQuestion = In<typeof announcementsQuestion>

/** `next`: where to go on; undefined when that is all. */
export const fetchedAnnouncements = record({
  announcements,
  next: key.as<Uint8Array | undefined>(
    (next) => (next.length === 0 ? undefined : next),
    (next) => next ?? new Uint8Array(),
  ),
})
export type FetchedAnnouncements = Out<typeof fetchedAnnouncements>

/** The answer to what was told: ids of what was refused, and would be again. */
export const refusedIds = list(id, announcementsMax)

/** In messages of a fair size. */
export function* messagesOf(announcements: Iterable<Announcement>): Iterable<Announcement[]> {
  let message: Announcement[] = []
  let bytes = 0
  for (const announcement of announcements) {
    if (bytes > 0 && bytes + sizeOf(announcement) > messageBytesTypical) {
      yield message
      message = []
      bytes = 0
    }
    message.push(announcement)
    bytes += sizeOf(announcement)
  }
  if (message.length > 0) yield message
}
