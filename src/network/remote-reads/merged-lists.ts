// Merges lists of captures from several peers, each of which may be incomplete.
//
// Invariants: each capture once, in the order of cursors (turned round with `reverse`), none that is not behind `after`, whatever
// a peer sent: so paging always ends. Where a list was cut, what others have behind that is left for the next page: the peer
// whose list was cut may have captures before it.

import type { NetworkCapture } from './view.ts'
import type { CaptureList } from './wire/questions.ts'

interface Placed {
  readonly place: Buffer
  readonly capture: NetworkCapture
}

export function mergedLists(
  lists: readonly CaptureList[],
  {
    after,
    reverse = false,
    limit,
  }: { after?: string | undefined; reverse?: boolean | undefined; limit: number },
): CaptureList {
  const direction = reverse ? -1 : 1
  const inOrder = (one: Buffer, other: Buffer): number => direction * Buffer.compare(one, other)
  const start = after === undefined ? undefined : placeOf(after)
  const byId = new Map<string, Placed>()
  let end: Buffer | undefined
  for (const { captures, isCut } of lists) {
    let last: Buffer | undefined
    for (const capture of captures) {
      const place = placeOf(capture.cursor)
      if (start !== undefined && inOrder(place, start) <= 0) continue
      if (last === undefined || inOrder(place, last) > 0) last = place
      if (!byId.has(capture.recordId)) byId.set(capture.recordId, { place, capture })
    }
    // One that says there is more and gives nothing has nothing to be waited for.
    if (isCut && last !== undefined && (end === undefined || inOrder(last, end) < 0)) end = last
  }
  const placed = [...byId.values()].sort((one, other) => inOrder(one.place, other.place))
  const known = end === undefined ? placed : placed.filter(({ place }) => inOrder(place, end) <= 0)
  return {
    captures: known.slice(0, limit).map(({ capture }) => capture),
    isCut: end !== undefined || known.length > limit,
    isComplete: lists.some(({ isComplete }) => isComplete),
  }
}

function placeOf(cursor: string): Buffer {
  return Buffer.from(cursor, 'base64url')
}
