// Credibility: whether a lease that one peer reports was decided, judged by the reports of others. Pure.
//
// At most one peer is assumed to lie. Honest peers report as `decided` only what they decided themselves or have confirmed, so
// two reports are enough. Voters may not have heard the outcome yet: then the votes of one ballot are counted, as Paxos counts
// them.

import type { PeerId } from '../../platform/network.ts'
import { type Ballot, isMajority, isSame, isSameSet, type Lease, type Recollection } from './lease.ts'

export interface Testimony {
  readonly self: PeerId
  readonly own: Recollection
  readonly reported: Lease
  readonly reporter: PeerId
  /** Of peers other than ourselves and the reporter. */
  readonly answers: ReadonlyMap<PeerId, Recollection>
  isGone(peer: PeerId): boolean
}

/** A second peer reports it as decided, or a majority of its electorate voted for it. */
export function isConfirmed(testimony: Testimony): boolean {
  const { reported, answers } = testimony
  for (const { decided } of answers.values())
    if (decided !== undefined && (isSame(decided, reported) || isPastOf(decided, reported))) return true
  return isChosen(testimony)
}

/** Whether `later` names `reported` as one of its predecessors. */
function isPastOf(later: Lease, reported: Lease): boolean {
  return later.before.some(
    ({ epoch, members }) => epoch === reported.epoch && isSameSet(members, reported.members),
  )
}

/** No peer that answered knows anything of the site that contradicts it: the reporter may have been the only one so far, or all
 * others may be gone for good. */
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
  // When all members are gone, or there were none yet, the full set decides, and peers may differ in how they see the ring.
  const isOpen = deciding === undefined || deciding.every((peer) => isGone(peer))
  return [new Set([reporter]), ...votesOf(testimony)].some((votes) => {
    if (isOpen) return votes.size > 1
    const present = deciding.filter((peer) => votes.has(peer) || !isGone(peer))
    return isMajority(present.filter((peer) => votes.has(peer)).length, present)
  })
}

/** The electorate that had to decide it: by our own record, or as the reporter and another peer say. */
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

/** Its voters, by ballot. The reporter counts as having voted for its own attempt. */
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
