// The policies that are compared: what each knows of an absent peer, and what it makes of it.

import {
  defaultPatience,
  type PatienceLimits,
  patienceMs,
} from '../../../src/network/replication/copies/patience.ts'
import { dayMs } from './churn-model.ts'
import { type CopyLimits, type CopyPlan, planCopies } from './copy-policy.ts'
import type { Member } from './member.ts'
import type { RangeCopies } from './range-copies.ts'

export interface CopyRule {
  name: string
  /** How long the member's absence is waited out. */
  patienceMs(member: Member): number
  plan(range: RangeCopies, nowMs: number): CopyPlan
  /** Does it act as soon as a peer comes or goes? */
  isHasty: boolean
  /** Does it want copies where the ring looks for them, whoever else has some? */
  followsRing: boolean
  /** Is its ring that of everybody who is there or waited for? Else it is of those who answer. */
  isRingPatient: boolean
}

export const forgetMs = 90 * dayMs

/** Copies stay where they are, and are made for what is gone for good: docs/decisions/0023. */
export function ours(copies: number, limits: PatienceLimits = defaultPatience): CopyRule {
  return {
    ...byPolicy('ours', { copies, sparesMax: copies, forgetMs }),
    patienceMs: ({ history, absentSinceMs = 0 }) => patienceMs(history, absentSinceMs, limits),
  }
}

/** What the program does instead (docs/decisions/0027): whoever the ring names for an arc gets a copy, newcomers too, where the ring
 * is that of everybody who is there or waited for. Copies beyond that are spares. */
export function placed(copies: number, limits: PatienceLimits = defaultPatience): CopyRule {
  const spares: CopyLimits = { copies, sparesMax: copies, forgetMs }
  return {
    ...byPolicy('placed', spares),
    followsRing: true,
    isRingPatient: true,
    patienceMs: ({ history, absentSinceMs = 0 }) => patienceMs(history, absentSinceMs, limits),
    plan: (range, nowMs) => ({ ...planCopies(range, nowMs, spares), ...toReplicaSet(range, copies) }),
  }
}

/** Knows at once who is gone for good, and waits for everyone else for ever. */
export function oracle(copies: number): CopyRule {
  return {
    ...byPolicy('oracle', { copies, sparesMax: 0, forgetMs: 0 }),
    patienceMs: ({ isGone }) => (isGone ? 0 : Number.POSITIVE_INFINITY),
  }
}

/** A copy at once for each that cannot be read, and all that come back are kept: Carbonite (Chun et al. 2006), no time-out. */
export function impatient(copies: number): CopyRule {
  return {
    ...byPolicy('impatient', { copies, sparesMax: Number.POSITIVE_INFINITY, forgetMs }),
    patienceMs: () => 0,
    isHasty: true,
  }
}

/** Exactly the replica set of the moment, as DHash and Herodotus have it. */
export function naive(copies: number): CopyRule {
  const limits: CopyLimits = { copies, sparesMax: 0, forgetMs }
  return {
    name: 'naive',
    patienceMs: () => 0,
    isHasty: true,
    followsRing: true,
    isRingPatient: false,
    plan: (range, nowMs) => ({ ...planCopies(range, nowMs, limits), ...toReplicaSet(range, copies) }),
  }
}

/** A copy for each of the first on the ring that is there and has none. */
function toReplicaSet(range: RangeCopies, copies: number): Pick<CopyPlan, 'copy' | 'lacking'> {
  const source = range.holders.find(({ absentSinceMs }) => absentSinceMs === undefined)
  const missing = range.ring
    .slice(0, copies)
    .filter(
      ({ peer, hasRoom }) =>
        hasRoom && !range.coming.includes(peer) && !range.holders.some((held) => held.peer === peer),
    )
  const copy = source ? missing.map(({ peer }) => ({ from: source.peer, to: peer })) : []
  return { copy, lacking: missing.length - copy.length }
}

function byPolicy(name: string, limits: CopyLimits): CopyRule {
  return {
    name,
    patienceMs: () => 0,
    isHasty: false,
    followsRing: false,
    isRingPatient: false,
    plan: (range, nowMs) => planCopies(range, nowMs, limits),
  }
}
