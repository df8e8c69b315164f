// Credibility: whether a lease that one peer reports was decided, judged by the reports of others. Pure.
//
// At most one peer is assumed to lie. Honest peers report as `decided` only what they decided themselves or have confirmed, so
// two reports are enough. Voters may not have heard the outcome yet: then the votes of one ballot are counted, as Paxos counts
// them.

import type { PeerId } from '../../platform/network/network.ts'
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

/** Whether nothing that we know contradicts it: the reporter may have been the only one so far, or all others may be gone for
 * good. */
export function isConceivable(testimony: Testimony): boolean {
  return !disputes(testimony.own, testimony)
}

/** Those who answered and know something of the site that contradicts it. */
export function disputants(testimony: Testimony): PeerId[] {
  return [...testimony.answers].filter(([, answer]) => disputes(answer, testimony)).map(([peer]) => peer)
}

function disputes({ decided, accepted }: Recollection, { reported, reporter, isGone }: Testimony): boolean {
  const isMoot = (other: Lease) =>
    other.epoch < reported.epoch && other.members.every((peer) => peer === reporter || isGone(peer))
  if (decided !== undefined && !isMoot(decided)) return true
  return accepted !== undefined && !isSame(accepted.lease, reported)
}

/** With us, the reporter and those that answered and dispute nothing most of these peers have spoken. Had most members of the
 * reported lease decided a later one, one of us would have voted for it. So the silent ones are not waited for: a member that was
 * away, or whose record is damaged, can vote again although the holder is lost. */
export function isQuorum(testimony: Testimony, peers: readonly PeerId[]): boolean {
  const { self, reporter, answers } = testimony
  const disputing = disputants(testimony)
  const hasSpoken = (peer: PeerId) => answers.has(peer) && !disputing.includes(peer)
  return isMajority(
    peers.filter((peer) => peer === self || peer === reporter || hasSpoken(peer)).length,
    peers,
  )
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
