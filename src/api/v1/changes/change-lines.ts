// Events as text: of Server-Sent Events, whose ids are cursors, or a JSON object a line, with its cursor in it.

import { printCursor } from '../../../changes/cursor.ts'
import { eventOf, type StoredEvent } from '../../../changes/event-coding.ts'
import type { Told } from '../../../changes/stream/change-stream.ts'

export const changeFormats = {
  events: 'text/event-stream; charset=utf-8',
  lines: 'application/x-ndjson; charset=utf-8',
} as const
export type ChangeFormat = keyof typeof changeFormats

/** '' where there is nothing to say. `hasCursors`: a line with the cursor where there is nothing else. */
export function textOf(told: Told, format: ChangeFormat, hasCursors: boolean): string {
  if (told.kind === 'events') {
    const { events } = told
    return events
      .map((event, index) => eventText(event, printCursor(cursorAfter(told, events[index + 1])), format))
      .join('')
  }
  const cursor = printCursor(told.cursor)
  if (told.kind === 'gap') {
    const gap = { gap: { upTo: printCursor(told.upTo), reason: 'not kept any more' }, cursor }
    return format === 'lines'
      ? `${JSON.stringify(gap)}\n`
      : `id: ${cursor}\nevent: gap\ndata: ${JSON.stringify(gap)}\n\n`
  }
  // An id without data is remembered by readers and told to nobody.
  if (format === 'events') return `id: ${cursor}\n\n`
  return hasCursors ? `${JSON.stringify({ cursor })}\n` : '\n'
}

/** Up to where all was told when the next one was not yet. */
function cursorAfter({ cursor }: Told, next: StoredEvent | undefined): number {
  return next === undefined ? cursor : Math.min(cursor, next.stamp - 1)
}

function eventText(event: StoredEvent, cursor: string, format: ChangeFormat): string {
  const json = JSON.stringify(Object.assign(eventOf(event), { cursor }))
  return format === 'lines' ? `${json}\n` : `id: ${cursor}\ndata: ${json}\n\n`
}
