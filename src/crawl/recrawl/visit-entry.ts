// Visit entry: a page's visits as they lie on disk, with its URL and where it waits.

import { rateCount } from './change-rates.ts'
import type { PageVisits } from './page-visits.ts'

/** HyperDog's three (section 5.2.1.2): waits for its time; given out; given out in vain, and so overdue. */
export type VisitQueue = 'normal' | 'pending' | 'high'

export interface VisitEntry {
  queue: VisitQueue
  /** When its queue brings it up. */
  atMs: number
  href: string
  page: PageVisits
}

const codes: Record<VisitQueue, number> = { high: 1, normal: 2, pending: 3 }
const queues: readonly VisitQueue[] = ['high', 'high', 'normal', 'pending']
const timeBytes = 6
const headBytes = 2 + 4 * timeBytes + rateCount

export function queueCode(queue: VisitQueue): number {
  return codes[queue]
}

export function encodeVisitEntry({ queue, atMs, href, page }: VisitEntry): Uint8Array {
  const bytes = Buffer.alloc(headBytes + href.length)
  bytes[0] = codes[queue]
  bytes[1] = page.failures
  const times = [atMs, page.visitedAtMs ?? 0, page.dueAtMs, page.intervalMs ?? 0]
  for (const [index, timeMs] of times.entries())
    bytes.writeUIntBE(Math.round(timeMs), 2 + index * timeBytes, timeBytes)
  bytes.set(page.evidence, 2 + 4 * timeBytes)
  bytes.write(href, headBytes, 'latin1')
  return bytes
}

export function decodeVisitEntry(stored: Uint8Array): VisitEntry {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  const time = (index: number): number => bytes.readUIntBE(2 + index * timeBytes, timeBytes)
  return {
    queue: queues[bytes[0]!]!,
    atMs: time(0),
    href: bytes.toString('latin1', headBytes),
    page: {
      failures: bytes[1]!,
      visitedAtMs: time(1) || undefined,
      dueAtMs: time(2),
      intervalMs: time(3) || undefined,
      evidence: Uint8Array.from(bytes.subarray(2 + 4 * timeBytes, headBytes)),
    },
  }
}
