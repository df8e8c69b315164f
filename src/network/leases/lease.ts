// Lease of a site: the right of one peer to crawl it, granted by a majority of the site's members.
//
// The ring names an owner of every key, but two halves of a partitioned ring name two, and a peer that was paused acts on old
// knowledge. So the owner becomes *lease holder* by a vote of the site's *members* (its replica set), and stays it only while a
// majority of them renew the lease.
// Invariants, checked by sim/leases:
// - At no moment can two peers crawl one site.
// - Leases of a site follow each other: the members of one decide (by Paxos) who is lease holder and who are members next. So a
//   partition cannot appoint members of its own. Only when the silent members count as gone for good do the others decide without
//   them.

import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network/network.ts'

/** The site, by its ring key. */
export type SiteId = RingKey

export interface Lease {
  /** One more than the epoch of the lease before. */
  readonly epoch: number
  readonly holder: PeerId
  readonly members: readonly PeerId[]
  /** Earlier leases whose members may hold state that was not handed on yet, newest first: the lease before this one, and those
   * before that as long as they are not known to have been taken over. */
  readonly before: readonly Electorate[]
}

/** The members of an earlier lease. */
export interface Electorate {
  readonly epoch: number
  readonly members: readonly PeerId[]
}

/** Orders the attempts to decide an epoch. */
export interface Ballot {
  readonly round: number
  readonly peer: PeerId
}

/** What a member knows of a site. */
export interface SiteRecord {
  /** The last lease that it knows to be decided; undefined when it never heard of the site. */
  readonly decided: Lease | undefined
  /** The lease holder has released it. */
  readonly isLaidDown: boolean
  /** Paxos state of the next epoch: attempts with an earlier ballot are refused. */
  readonly promised: Ballot | undefined
  readonly accepted: Accepted | undefined
}

export interface Accepted {
  readonly ballot: Ballot
  readonly lease: Lease
}

/** What a peer reports of a site. */
export type Recollection = Pick<SiteRecord, 'decided' | 'accepted'>

export interface LeaseTerms {
  /** For so long after the last renewal a member lets nobody else take over. Longer tolerates longer pauses; a crashed holder's
   * sites wait that long. */
  leaseMs: number
  /** How often a lease holder renews. */
  renewMs: number
  /** How far clock rates may differ: 0.01 is one in a hundred. */
  clockDrift: number
  /** How long a member's answer is waited for. */
  answerMs: number
  /** Between two attempts to acquire a lease; after failures up to ten times as long. */
  retryMs: number
}

export const leaseTermsDefault: LeaseTerms = {
  leaseMs: 15_000,
  renewMs: 4_000,
  clockDrift: 0.01,
  answerMs: 3_000,
  retryMs: 1_000,
}

export const unheardOf: SiteRecord = {
  decided: undefined,
  isLaidDown: false,
  promised: undefined,
  accepted: undefined,
}

/** The record right after this was decided: nothing is known of the next epoch yet. */
export function recordOf(decided: Lease): SiteRecord {
  return { ...unheardOf, decided }
}

export function epochOf(decided: Lease | undefined): number {
  return decided?.epoch ?? 0
}

/** The electorates that the lease after `base` has to take state over from. Of several with the same members one is enough. */
export function electoratesAfter(base: Lease | undefined, isEstablished: boolean): Electorate[] {
  if (base === undefined) return []
  const { epoch, members } = base
  const earlier = isEstablished ? [] : base.before.filter((other) => !isSameSet(other.members, members))
  return [{ epoch, members }, ...earlier]
}

export function isBefore(a: Ballot, b: Ballot): boolean {
  return a.round < b.round || (a.round === b.round && a.peer < b.peer)
}

export function isMajority(count: number, members: readonly PeerId[]): boolean {
  return 2 * count > members.length
}

export function isSameSet(a: readonly PeerId[], b: readonly PeerId[]): boolean {
  return a.length === b.length && a.every((peer) => b.includes(peer))
}

export function isSame(a: Lease | undefined, b: Lease | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return (
    a.epoch === b.epoch &&
    a.holder === b.holder &&
    isSameSet(a.members, b.members) &&
    areSameElectorates(a.before, b.before)
  )
}

/** Whether `next` is a valid successor of `base`. */
export function follows(next: Lease, base: Lease | undefined): boolean {
  if (next.epoch !== epochOf(base) + 1 || !next.members.includes(next.holder)) return false
  return [true, false].some((isEstablished) =>
    areSameElectorates(next.before, electoratesAfter(base, isEstablished)),
  )
}

function areSameElectorates(a: readonly Electorate[], b: readonly Electorate[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ epoch, members }, index) => epoch === b[index]!.epoch && isSameSet(members, b[index]!.members))
  )
}

export function union(...sets: readonly (readonly PeerId[])[]): PeerId[] {
  return [...new Set(sets.flat())]
}
