// Credibility: whether a lease that one peer tells of was decided, judged by what others say.
//
// At most one peer is taken to lie. Honest peers say `decided` only of what they decided themselves or have confirmed, so two
// who say it are enough. Those who voted may not have heard of the outcome yet: then the votes are counted, of one ballot, as
// Paxos counts them.

import type { PeerId } from '../../platform/network.ts'
import { type Ballot, isMajority, isSame, isSameSet, type Lease, type Recollection } from './lease.ts'

export interface Testimony {
  readonly self: PeerId
  readonly own: Recollection
  readonly reported: Lease
  readonly reporter: PeerId
  /** Of others than ourselves and the teller. */
  readonly answers: ReadonlyMap<PeerId, Recollection>
  isGone(peer: PeerId): boolean
}

/** Somebody besides the teller says that it is decided, or most of those who were to decide it voted for it. */
export function isConfirmed(testimony: Testimony): boolean {
  const { reported, answers } = testimony
  for (const { decided } of answers.values())
    if (decided !== undefined && (isSame(decided, reported) || isPastOf(decided, reported))) return true
  return isChosen(testimony)
}

/** Whether the one came after the other, as it says itself. */
function isPastOf(later: Lease, reported: Lease): boolean {
  return later.before.some(
    ({ epoch, members }) => epoch === reported.epoch && isSameSet(members, reported.members),
  )
}

/** Nobody who answered knows anything else of the site that could still count: it may have been the teller's alone until now, or the
 * others who had it may all be gone for good. */
export function isUndisputed({ own, reported, reporter, answers, isGone }: Testimony): boolean {
  const isMoot = (decided: Lease) =>
    decided.epoch < reported.epoch && decided.members.every((peer) => peer === reporter || isGone(peer))
  const disputesNothing = ({ decided, accepted }: Recollection) =>
    (decided === undefined || isMoot(decided)) && (accepted === undefined || isSame(accepted.lease, reported))
  return disputesNothing(own) && [...answers.values()].every(disputesNothing)
}

function isChosen(testimony: Testimony): boolean {
  const { reported, reporter, isGone } = testimony
  const deciding = electorateOf(testimony)
  if (deciding === undefined && reported.epoch > 1) return false
  // When all who had a say are gone, or nobody had one yet, others decide: who, depends on how each sees the ring.
  const isOpen = deciding === undefined || deciding.every((peer) => isGone(peer))
  return [new Set([reporter]), ...votesOf(testimony)].some((votes) => {
    if (isOpen) return votes.size > 1
    const present = deciding.filter((peer) => votes.has(peer) || !isGone(peer))
    return isMajority(present.filter((peer) => votes.has(peer)).length, present)
  })
}

/** Who was to decide it: as we know, or as the teller and another say. */
function electorateOf({ own, reported, answers }: Testimony): readonly PeerId[] | undefined {
  const isBase = ({ decided }: Recollection) => decided?.epoch === reported.epoch - 1
  if (isBase(own)) return own.decided?.members
  const [before] = reported.before
  for (const answer of answers.values()) {
    const { decided } = answer
    if (before && decided && isBase(answer) && isSameSet(decided.members, before.members))
      return before.members
  }
  return undefined
}

/** Who voted for it, by ballot. The teller's own attempt has its vote. */
function votesOf({ self, own, reported, reporter, answers }: Testimony): Set<PeerId>[] {
  const byBallot = new Map<string, Set<PeerId>>()
  for (const [peer, { accepted }] of [[self, own] as const, ...answers]) {
    if (accepted === undefined || !isSame(accepted.lease, reported)) continue
    const key = nameOf(accepted.ballot)
    const votes = byBallot.get(key) ?? new Set<PeerId>()
    votes.add(peer)
    if (accepted.ballot.peer === reporter) votes.add(reporter)
    byBallot.set(key, votes)
  }
  return [...byBallot.values()]
}

function nameOf({ round, peer }: Ballot): string {
  return `${round} ${peer}`
}
