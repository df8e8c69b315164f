// Missed changes: which of a page's captures should have become events and did not. Pure.
//
// Two ways lead there. A peer kept a capture and died, or lost its lease, before it completed the URL: then it is newer than the
// page's state, and the state goes on from it. Or its copy came when the next peer had visited the page itself: then it is older, and
// is told late, for what it was; the state stays.

import { noteSighting, type PageChange, type PageState, type Sighting } from './page-state.ts'

export interface Missed {
  /** In the order in which they are to be told. */
  readonly changes: readonly PageChange[]
  readonly state: PageState
}

/** The oldest first; `earlier`: the newest of those before, if there is one. */
export interface KeptVersions {
  readonly captures: readonly Sighting[]
  readonly earlier?: Sighting | undefined
}

/** Times of captures that can be judged by what is known to be told. */
export interface JudgedTimes {
  readonly fromMs: number
  readonly toMs: number
}

export function missedChanges(
  state: PageState,
  { captures, earlier }: KeptVersions,
  isTold: (id: Uint8Array) => boolean,
  { fromMs, toMs }: JudgedTimes,
): Missed {
  const isMissed = ({ id, atMs }: { id: Uint8Array; atMs: number }): boolean =>
    atMs >= fromMs && atMs < toMs && !isTold(id)
  const told = captures.filter(({ atMs }) => atMs <= state.atMs)
  const changes = lateChanges(told, earlier, isTold).filter(isMissed)
  let after = state
  for (const capture of captures) {
    if (capture.atMs <= state.atMs || capture.atMs >= toMs || !isClear(capture)) continue
    const noted = noteSighting(after, capture)
    after = noted.state ?? after
    if (noted.change !== undefined && isMissed(capture)) changes.push(noted.change)
  }
  return { changes, state: after }
}

/** What says by itself what the page was. Where a redirect led is not at hand, and failed visits were counted when they failed. */
export function isClear({ status, digest }: Sighting): boolean {
  return isGone(status) || status === 304 || (status >= 200 && status < 300 && digest !== undefined)
}

/** Of each capture that is another page than the one before it. */
function lateChanges(
  captures: readonly Sighting[],
  earlier: Sighting | undefined,
  isTold: (id: Uint8Array) => boolean,
): PageChange[] {
  const clear = captures.filter(isClear)
  return clear.flatMap((capture, index) => {
    const [before, next] = [clear[index - 1] ?? earlier, clear[index + 1]]
    if (isGone(capture.status) || isSame(before, capture)) return []
    // The same was told, as first seen a little later.
    if (next !== undefined && isSame(next, capture) && isTold(next.id)) return []
    return [lateChange(before, capture)]
  })
}

function lateChange(before: Sighting | undefined, capture: Sighting): PageChange {
  const { id, atMs, status, mime, digest, bytes } = capture
  const change = { id, atMs, status, mime, digest, bytes }
  if (before === undefined) return { ...change, kind: 'changed' }
  if (isGone(before.status)) return { ...change, kind: 'back' }
  return { ...change, kind: 'changed', digestBefore: before.digest, bytesBefore: before.bytes }
}

function isSame(one: Sighting | undefined, other: Sighting): boolean {
  if (one?.digest === undefined || other.digest === undefined || isGone(one.status)) return false
  return Buffer.compare(one.digest.bytes, other.digest.bytes) === 0
}

function isGone(status: number): boolean {
  return status === 404 || status === 410
}
