// Patience: how long an absent peer is waited for before its copies are made up for.
//
// An absence and a death look the same while they last; only the peer's own past tells them apart. The longest absence so
// far is one that comes about once in the time that we know the peer. Worth waiting for is one that comes once in
// `rareMs`: whoever is away for longer is more likely gone. Absences have a heavy tail: the longest grows about
// with the cube root of the time in which it is looked for (from a lognormal law with σ = 1 to a Pareto with shape 3). So
// a peer that we hardly know is given much more time than its short past would say, and one known for years no more than
// it ever took.

import type { AbsenceHistory } from './absence-history.ts'

export interface PatienceLimits {
  /** Waited for in any case: a night, a router that hangs. Who never was away for longer is taken to have been so. */
  patienceMsMin: number
  /** Not waited for longer, whatever the past: until then nothing makes up for a disk that died. */
  patienceMsMax: number
  /** How rare an absence is not waited out. Less: more copies made in vain. More: deaths are noticed later. */
  rareMs: number
  /** Who is known for less is taken to have been known for so long; a day when not given. */
  hardlyKnownMs?: number
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const defaultPatience: PatienceLimits = {
  patienceMsMin: 12 * hourMs,
  patienceMsMax: 14 * dayMs,
  rareMs: 3 * 365 * dayMs,
}

/** Of a peer that vanished at this time. */
export function patienceMs(history: AbsenceHistory, vanishedAtMs: number, limits: PatienceLimits): number {
  const { patienceMsMin, patienceMsMax, rareMs, hardlyKnownMs = dayMs } = limits
  const knownMs = Math.max(hardlyKnownMs, vanishedAtMs - history.knownSinceMs)
  const wishedMs = Math.max(patienceMsMin, history.longestMs) * Math.cbrt(rareMs / knownMs)
  return Math.min(patienceMsMax, Math.max(patienceMsMin, wishedMs))
}
