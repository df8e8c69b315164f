// How the peers of a durability run come, go and die: its parameters, and the lives drawn from them.
//
// Invariant: a life depends on the seed and the peer's number alone, so every policy lives through the same.

import type { SimulatedRandom } from '../../../src/platform/simulated/random.ts'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs
export const yearMs = 365 * dayMs

export type AbsenceLaw = 'lognormal' | 'pareto' | 'weibull'

export interface ChurnModel {
  peers: number
  years: number
  /** Of all peers, each a year: the disk and all on it is gone, and nobody is told. */
  deathsPerYear: number
  /** Of all peers, each a year: they do not come back. */
  leavesPerYear: number
  /** Of those who leave for good, how many say so a week before. */
  announcedShare: number
  /** Each peer is offline for a share of its time of its own, evenly from the one to the other. */
  offlineShareMin: number
  offlineShareMax: number
  /** Each peer has a mean absence of its own, by a lognormal law. */
  absenceHoursMedian: number
  absenceSpread: number
  absenceLaw: AbsenceLaw
  /** Peers are in one region each; a region is cut off now and then as a whole. */
  regions: number
  outagesPerYear: number
  outageHoursMean: number
}

export const defaultChurn: ChurnModel = {
  peers: 1_000,
  years: 10,
  deathsPerYear: 0.12,
  leavesPerYear: 0.1,
  announcedShare: 0.5,
  offlineShareMin: 0.05,
  offlineShareMax: 0.55,
  absenceHoursMedian: 8,
  absenceSpread: 0.75,
  absenceLaw: 'lognormal',
  regions: 20,
  outagesPerYear: 0,
  outageHoursMean: 24,
}

export const announcementMs = 7 * dayMs
const lognormalSigma = 1
const paretoShape = 2
const weibullShape = 0.5

export interface Life {
  joinsAtMs: number
  /** When it is gone for good. */
  endsAtMs: number
  /** It says so, and stays online for its last week. */
  isAnnounced: boolean
  region: number
  places: number[]
  isOnlineAtFirst: boolean
  sessionMs(): number
  absenceMs(): number
}

export function drawLife(
  model: ChurnModel,
  random: SimulatedRandom,
  joinsAtMs: number,
  isNew: boolean,
): Life {
  const deathMs = exponential(random, yearMs / model.deathsPerYear)
  const leaveMs = exponential(random, yearMs / model.leavesPerYear)
  const offlineShare = random.between(model.offlineShareMin, model.offlineShareMax)
  const absenceMeanMs = model.absenceHoursMedian * hourMs * Math.exp(model.absenceSpread * normal(random))
  const sessionMeanMs = (absenceMeanMs * (1 - offlineShare)) / offlineShare
  return {
    joinsAtMs,
    endsAtMs: joinsAtMs + Math.min(deathMs, leaveMs),
    isAnnounced: random.chance(model.announcedShare) && leaveMs < deathMs,
    region: random.below(model.regions),
    places: Array.from({ length: positionsPerPeer }, () => random.fraction()),
    isOnlineAtFirst: isNew || !random.chance(offlineShare),
    sessionMs: () => lasting('lognormal', random, sessionMeanMs),
    absenceMs: () => lasting(model.absenceLaw, random, absenceMeanMs),
  }
}

const positionsPerPeer = 4

/** A length of time by a law with a heavy tail, of this mean. */
function lasting(law: AbsenceLaw, random: SimulatedRandom, meanMs: number): number {
  if (law === 'lognormal') return meanMs * Math.exp(lognormalSigma * normal(random) - lognormalSigma ** 2 / 2)
  const survival = 1 - random.fraction()
  if (law === 'pareto') return meanMs * (paretoShape - 1) * (survival ** (-1 / paretoShape) - 1)
  // Its mean is Γ(1 + 1/shape) times its scale: Γ(3) = 2.
  return (meanMs / 2) * (-Math.log(survival)) ** (1 / weibullShape)
}

export function exponential(random: SimulatedRandom, meanMs: number): number {
  return -Math.log(1 - random.fraction()) * meanMs
}

function normal(random: SimulatedRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction())
}
