// Questions between peers about events, and their answers, as bytes.

import { bytesView, counter, fixed, flag, number } from '../../formats/wire/message-fields.ts'
import { type In, list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import { positionBytes } from '../local-events.ts'

export const eventsMax = 1_000
/** Of the events of one answer, but for the last one. */
export const pageBytesMax = 256 * 1024
export const waitMsMax = 10_000
const eventBytesMax = 512 * 1024

const position = fixed(positionBytes).as<Buffer, Uint8Array>(
  (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  (bytes) => bytes,
)

/** Events behind a position. Answered with `readAnswer`. */
export const readQuestion = record({
  /** The process that the asker has read from, and the last generation of its sites. */
  instance: counter,
  generation: counter,
  after: position,
  /** Only of sites behind this generation, and up to this position: what was taken over while the asker read on. */
  missed: optional(record({ takenAfter: counter, upTo: position })),
  /** How long to wait for the first event. */
  waitMs: number(waitMsMax),
  /** The asker's cursor: stamps are to pass it. */
  cursor: counter,
})
export type ReadQuestion = In<typeof readQuestion>

export const readAnswer = union('answer about events', {
  /** It is another process. */
  restarted: { instance: counter, generation: counter },
  /** Sites were taken over, up to this generation: read those first. */
  taken: { generation: counter },
  page: {
    events: list(bytesView(eventBytesMax), eventsMax),
    next: position,
    /** There are no more up to `next`, and none will come up to there, but of sites that are taken over. */
    isEnd: flag,
    droppedUpTo: counter,
    /** Sites that may be nobody's at the moment. */
    unsettled: counter,
    /** Whom it sees: see present-peers.ts. 0 while that has just changed. */
    view: counter,
  },
})
export type ReadAnswer = Out<typeof readAnswer>
