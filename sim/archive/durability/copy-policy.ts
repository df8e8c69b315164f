// Copy policy: what is to be done about the copies of a range, as decision 0023 has it. The program puts copies where the ring
// looks for them instead (0027): what that costs more is seen by having both here.
//
// Pure: the same knowledge gives the same plan. It is made anew whenever something changed or `reviewAtMs` has come, and
// whoever is named in a step carries it out; two who know different things at worst make a copy too many, which is a
// spare.
//
// - A copy on an absent peer counts until the peer's patience is over, and counts again as soon as it is back.
// - A copy is made when those that count are fewer than wanted, not because another peer would be the better place.
// - New copies go to the replica set first, so that the holders become the set in the course of repair.
// - What came back and is more than wanted stays as a spare, so that the next absence costs nothing.
// - A holder drops its copy only when every peer of the replica set has one.
//
// Does not know what a range holds, nor how copies travel. Why so: docs/decisions/0023.

import type { PeerId } from '../../../src/platform/network/network.ts'
import type { Holder, RangeCopies, RingPeer } from './range-copies.ts'

export interface CopyLimits {
  /** How many copies there are to be: r. */
  copies: number
  /** So many more than wanted are kept, by those who have room. */
  sparesMax: number
  /** An absent holder is forgotten after this; should it come back, it says itself what it has. */
  forgetMs: number
}

export interface CopyStep {
  from: PeerId
  to: PeerId
}

export interface CopyPlan {
  copy: CopyStep[]
  /** Holders that may drop their copy. */
  drop: PeerId[]
  /** Holders that are not believed to come back. */
  forget: PeerId[]
  /** How many copies can be read now: the fewer, the sooner the range is to be seen to. */
  reachable: number
  /** How many copies count: those of peers that answer, and of those that are believed to come back. */
  counted: number
  /** How many copies are wanted that nobody can give or take now. */
  lacking: number
  /** When the next absent holder's patience is over; infinite when nobody is waited for. */
  reviewAtMs: number
}

export function planCopies(range: RangeCopies, nowMs: number, limits: CopyLimits): CopyPlan {
  const counted = range.holders.filter((holder) => counts(holder, nowMs))
  const readable = range.holders.filter(isReachable)
  const wanted = Math.max(0, limits.copies - counted.length - range.coming.length)
  const copy = copySteps(range, targets(range, counted, wanted, limits), readable)
  return {
    copy,
    drop: surplusHolders(range, counted.length, nowMs, limits),
    forget: range.holders.filter((holder) => isForgotten(holder, nowMs, limits)).map(({ peer }) => peer),
    reachable: readable.length,
    counted: counted.length,
    lacking: Math.max(0, wanted - copy.length),
    reviewAtMs: Math.min(
      ...range.holders
        .filter((holder) => isAwaited(holder, nowMs))
        .map(({ absentSinceMs, patienceMs }) => absentSinceMs! + patienceMs),
    ),
  }
}

function isReachable(holder: Holder): boolean {
  return holder.absentSinceMs === undefined
}

function counts(holder: Holder, nowMs: number): boolean {
  return !holder.isLeaving && (isReachable(holder) || isAwaited(holder, nowMs))
}

function isAwaited({ absentSinceMs, patienceMs }: Holder, nowMs: number): boolean {
  return absentSinceMs !== undefined && nowMs < absentSinceMs + patienceMs
}

function isForgotten(
  { absentSinceMs, patienceMs }: Holder,
  nowMs: number,
  { forgetMs }: CopyLimits,
): boolean {
  return absentSinceMs !== undefined && nowMs >= absentSinceMs + Math.max(forgetMs, patienceMs)
}

/** Who gets a copy: as many as are wanted, and whoever of the replica set must have one before a full peer may drop its. */
function targets(
  range: RangeCopies,
  counted: readonly Holder[],
  wanted: number,
  limits: CopyLimits,
): RingPeer[] {
  const free = range.ring.filter((candidate) => candidate.hasRoom && !has(range, candidate.peer))
  const chosen: RingPeer[] = []
  const networks = new Set(counted.map(({ network }) => network))
  while (chosen.length < Math.min(wanted, free.length)) {
    const rest = free.filter((candidate) => !chosen.includes(candidate))
    const next =
      rest.find(({ network }) => network === undefined || !networks.has(network)) ?? (rest[0] as RingPeer)
    networks.add(next.network)
    chosen.push(next)
  }
  if (chosen.length > 0 || !isRoomWanted(range, limits)) return chosen
  return free.filter((candidate) => replicaSet(range, limits).includes(candidate))
}

function copySteps(range: RangeCopies, to: readonly RingPeer[], readable: readonly Holder[]): CopyStep[] {
  if (readable.length === 0) return []
  // Who goes for good hands over itself; the others share the work.
  const leaving = readable.filter(({ isLeaving }) => isLeaving)
  const sources = leaving.length > 0 ? leaving : readable
  const first = range.holders.length + range.coming.length
  return to.map(({ peer }, index) => ({ from: sources[(first + index) % sources.length]!.peer, to: peer }))
}

function has({ holders, coming }: RangeCopies, peer: PeerId): boolean {
  return coming.includes(peer) || holders.some((holder) => holder.peer === peer)
}

function replicaSet({ ring }: RangeCopies, { copies }: CopyLimits): readonly RingPeer[] {
  return ring.slice(0, copies)
}

function isOutside(holder: Holder, range: RangeCopies, limits: CopyLimits): boolean {
  return !replicaSet(range, limits).some(({ peer }) => peer === holder.peer)
}

/** Does a full peer hold what it is not responsible for? */
function isRoomWanted(range: RangeCopies, limits: CopyLimits): boolean {
  return range.holders.some(
    (holder) => holder.isShortOfRoom && isReachable(holder) && isOutside(holder, range, limits),
  )
}

/** Those who need their room, and those beyond the spares: farthest round the ring first. */
function surplusHolders(range: RangeCopies, counted: number, nowMs: number, limits: CopyLimits): PeerId[] {
  const { copies, sparesMax } = limits
  if (range.ring.length < copies) return []
  const isSetWhole = replicaSet(range, limits).every(({ peer }) =>
    range.holders.some((holder) => holder.peer === peer && isReachable(holder) && !holder.isLeaving),
  )
  if (!isSetWhole) return []
  const places = new Map(range.ring.map(({ peer }, place) => [peer, place]))
  const placeOf = ({ peer }: Holder): number => places.get(peer) ?? range.ring.length
  const droppable = range.holders
    .filter((holder) => isReachable(holder) && !holder.isLeaving && isOutside(holder, range, limits))
    .filter(({ promisedUntilMs }) => promisedUntilMs === undefined || promisedUntilMs <= nowMs)
    .sort((a, b) => placeOf(b) - placeOf(a))
  const tooMany = Math.max(0, counted - copies - sparesMax)
  return droppable
    .filter(({ isShortOfRoom }, index) => isShortOfRoom || index < tooMany)
    .map(({ peer }) => peer)
}
