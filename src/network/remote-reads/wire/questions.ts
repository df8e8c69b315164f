// Read requests to other peers, and their answers, as bytes.

import {
  bytesView,
  choice,
  counter,
  flag,
  number,
  optionalText,
  rest,
  ringKey,
  sha256Digest,
  text,
} from '../../../formats/wire/message-fields.ts'
import {
  type In,
  joined,
  list,
  mark,
  marked,
  type Out,
  optional,
  record,
  type Schema,
  union,
} from '../../../formats/wire/message-schema.ts'
import { captureKinds } from '../../../model/capture-json.ts'
import { timestampMsMax, timestampMsMin } from '../../../model/timestamp.ts'
import type { NetworkCapture, ViewSelection } from '../view.ts'

export const listMax = 1_000
const urlBytesMax = 64 * 1024
const headBytesMax = 2 * 1024 * 1024
/** Times are counted from here, so that none is negative. */
const earliestMs = Date.UTC(-1, 0)
const minuteMs = 60_000
/** Past what any clock says. */
const minutesMax = 2 ** 32

/** Of the years that archives write. */
const optionalTime = number(timestampMsMax - earliestMs).as<number | undefined>(
  (counted) => (counted === 0 ? undefined : Math.max(timestampMsMin, counted + earliestMs)),
  (timeMs) => (timeMs === undefined ? 0 : Math.max(1, Math.floor(timeMs) - earliestMs)),
)
const time = optionalTime.checked(
  (timeMs) => timeMs !== undefined,
  'a capture without a time',
) as Schema<number>
const minute = number(minutesMax).as(
  (minutes) => minutes * minuteMs,
  (timeMs: number) => Math.floor(timeMs / minuteMs),
)
const cursor = text(4_096)
const url = text(urlBytesMax)

const selection: Schema<ViewSelection> = union('selection', {
  url: { url },
  prefix: { url },
  host: { host: url },
  site: { site: url },
  arc: { from: ringKey, upTo: ringKey, domain: optionalText(253) },
})

export const readRequest = union('read request', {
  list: {
    selection,
    options: record({
      limit: number(listMax),
      reverse: flag.as<boolean, boolean | undefined>(
        (isReverse) => isReverse,
        (isReverse = false) => isReverse,
      ),
      after: optionalText(4_096),
      fromMs: optionalTime,
      toMs: optionalTime,
    }),
  },
  /** The capture's head and the first piece of its payload. */
  open: { cursor },
  /** The piece of that number (from 1), of what has more. */
  piece: { session: number(), number: number() },
  /** The first piece of the capture's records. */
  records: { cursor, isWhole: flag },
})
export type ReadRequest = In<typeof readRequest>

const capture: Schema<NetworkCapture> = joined(
  record({
    url,
    surt: url,
    capturedAtMs: time,
    status: number(999),
    mime: text(1_024),
    kind: choice(captureKinds),
  }),
  joined(
    marked({
      content: record({ digest: sha256Digest, overflow: number(65_535) }),
      importedBy: text(128),
      isLater: mark,
      isImportedRevisit: mark,
      heardAtMs: minute,
    }),
    record({ payloadBytes: counter, storedBytes: counter, recordId: text(64), cursor }),
  ),
)

export const captureList = joined(
  /** `isCut`: there is more behind the last. `isComplete`: the network keeps nothing else of what was asked for, up to where this
   * list ends. */
  marked({ isCut: mark, isComplete: mark }),
  record({ captures: list(capture, listMax) }),
)
export type CaptureList = Out<typeof captureList>

export const openedPayload = record({
  head: optional(bytesView(headBytesMax)),
  sizeBytes: counter,
  /** For the pieces that follow; undefined when that was all. */
  session: number().as<number | undefined>(
    (session) => session || undefined,
    (session) => session ?? 0,
  ),
  piece: rest,
})
export type Opened = Out<typeof openedPayload>
