// Cursor: how far somebody has read the changes of all sites, wherever they are crawled. The same on every peer.
//
// It is one stamp: every event with this stamp or a smaller one has been told. It does not grow with sites or peers. What was told
// beyond it is told again after a new start from it. How a peer knows that nothing smaller comes: stream/watermark.ts.

import { ChangesError } from './changes-error.ts'

/** Larger than any honest clock's. */
const stampMax = 2 ** 47
const pattern = /^c1-([0-9a-z]{1,10})$/
const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export function printCursor(stamp: number): string {
  return `c1-${stamp.toString(36)}`
}

/** A cursor, a time (RFC 3339, or a date) from which on changes are wanted, how long ago that was (`1h`), or `now`. */
export function parseCursor(text: string, nowMs: number): number {
  if (text === 'now') return nowMs
  const written = pattern.exec(text)?.[1]
  if (written !== undefined) {
    const stamp = Number.parseInt(written, 36)
    if (stamp < stampMax) return stamp
  } else if (/^\d{4}-\d\d-\d\d/.test(text)) {
    const timeMs = Date.parse(text)
    if (timeMs >= 0 && timeMs < stampMax) return Math.max(0, timeMs - 1)
  }
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return Math.max(0, Math.floor(nowMs - Number(count) * units[unit!]!))
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
  throw new ChangesError(
    'cursor-malformed',
    `${shown} is no cursor. Give one as it stood in an answer ("cursor", or the id of a Server-Sent Event), a time such as 2026-11-17T10:00:00Z, how long ago that was, such as 1h or 7d, or "now".`,
  )
}
