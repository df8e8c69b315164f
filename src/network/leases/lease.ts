// Lease of a site: who alone may crawl it, and whose word that is.
//
// The ring names an owner of every key, but two parts of a torn ring name two, and one that was paused may still believe
// what it knew. So the owner becomes *lease holder* by a majority of the site's *members* (its replica set), and is it only
// while a majority of them grant it to him. Invariants, by sim/stewards:
// - At no moment may two peers crawl one site.
// - Leases of a site follow each other: the members of one decide (by Paxos) who is lease holder and who are members next. So
//   a part of the network that was cut off cannot make itself members of its own. Only when the silent ones count as gone for
//   good do the others go on without them.

import type { RingKey } from '../../model/ring-key.ts'
import type { PeerId } from '../../platform/network.ts'

/** The site, by its ring key. */
export type SiteId = RingKey

export interface Lease {
  /** One more than that of the lease before. */
  readonly epoch: number
  readonly holder: PeerId
  readonly members: readonly PeerId[]
  /** Whose members may have what was done in their time, newest first: the lease before this one, and those before that
   * as far as it is not known that what they had was taken over from them. */
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
  /** The last that it knows to be decided; undefined: it never heard of the site. */
  readonly decided: Lease | undefined
  /** The lease holder wants it no more. */
  readonly isLaidDown: boolean
  /** For the epoch after that: attempts before this one are refused. */
  readonly promised: Ballot | undefined
  readonly accepted: Accepted | undefined
}

export interface Accepted {
  readonly ballot: Ballot
  readonly lease: Lease
}

/** What a peer says that it knows of a site. */
export type Recollection = Pick<SiteRecord, 'decided' | 'accepted'>

export interface LeaseTerms {
  /** So long a member lets nobody else take over after it last heard of a lease holder. */
  leaseMs: number
  /** How often a lease holder is heard of. */
  renewMs: number
  /** By so much clocks may run apart: 0.01 is one in a hundred. */
  clockDrift: number
  /** So long a member's answer is waited for. */
  answerMs: number
  /** Between two attempts to take over; more after failures, up to ten times that. */
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

/** What is known once this is decided: nothing yet of the epoch after it. */
export function recordOf(decided: Lease): SiteRecord {
  return { ...unheardOf, decided }
}

export function epochOf(decided: Lease | undefined): number {
  return decided?.epoch ?? 0
}

/** What follows `base` has to look back to these. Of those with the same members one is enough. */
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

/** Whether `next` is what somebody who knows `base` may wish to follow it. */
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
