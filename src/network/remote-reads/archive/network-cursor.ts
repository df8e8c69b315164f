// Cursors of the network: where a capture lies in the order of ring key, SURT, time and record id.
//
// Why not the store's own: its keys end in a serial that tells captures of one URL and millisecond apart, and every store gives
// out its own serials. The record id is the same everywhere.

import { ringKeyBytes } from '../../../model/ring-key.ts'
import { parseUuid, printUuid } from '../../../model/uuid.ts'
import type { Capture } from '../../../store/capture.ts'
import { rosterKey } from '../../../store/copying/capture-roster.ts'
import { StoreError } from '../../../store/store-error.ts'
import { rosterKeyBytesMax } from '../../replication/sums/roster.ts'

const idBytes = 16
const serialBytes = 1
const timeBytes = 7
const surtEnd = 0

export function networkCursor({ cursor, recordId }: Capture): string {
  const key = rosterKey(Buffer.from(cursor, 'base64url'), parseUuid(recordId))
  return Buffer.from(key.buffer).toString('base64url')
}

export interface CursorPlace {
  /** What the store's cursors of this URL and millisecond start with. A scan that goes on behind it begins with them. */
  readonly moment: Buffer
  readonly recordId: string
  readonly bytes: Buffer
}

export function cursorPlace(cursor: string): CursorPlace {
  const bytes = Buffer.from(cursor, 'base64url')
  const surtEndAt = bytes.length - idBytes - timeBytes - 1
  if (
    !/^[\w-]{1,4000}$/.test(cursor) ||
    surtEndAt < ringKeyBytes ||
    bytes.length > rosterKeyBytesMax ||
    bytes[surtEndAt] !== surtEnd
  ) {
    throw new StoreError(
      'store-bad-cursor',
      `${JSON.stringify(cursor.slice(0, 40))} is not a cursor that this archive gave out.`,
    )
  }
  const moment = bytes.subarray(0, -idBytes)
  return { moment, recordId: printUuid(bytes.subarray(-idBytes)), bytes }
}

export function isOfMoment({ cursor }: Capture, { moment }: CursorPlace): boolean {
  const key = Buffer.from(cursor, 'base64url')
  return key.length === moment.length + serialBytes && key.subarray(0, moment.length).equals(moment)
}
