// Change rates: how often a page changes, as far as its visits tell.
//
// A page is taken for a Poisson process of unknown rate. What visits say is kept as the likelihood of each of 24 rates,
// from once in four years to once in two minutes, in a byte each: so any mix of intervals counts exactly, and a page
// costs 24 bytes however often it was visited. (A count of visits and changes would do for equal intervals only, and its
// usual estimators are biased where most visits find a change: Cho and Garcia-Molina, "Estimating frequency of change".)
// Old news fade, so that a page may change its habits.

export const rateCount = 24
const hourMs = 3_600_000
const slowestPerMs = 1 / (4 * 365 * 24 * hourMs)
const fastestPerMs = 1 / (2 * 60_000)

/** Changes per millisecond, slowest first, each the same multiple of the last. */
export const ratesPerMs: readonly number[] = Array.from(
  { length: rateCount },
  (_, index) => slowestPerMs * (fastestPerMs / slowestPerMs) ** (index / (rateCount - 1)),
)

/** Steps of a byte per unit of log-likelihood: below the best rate, up to 32 units count. */
const stepsPerUnit = 8
/** Of what was known, this much remains with each visit. */
const memory = 0.985

/** Minus the log-likelihoods, in steps, the best rate's 0. */
export type RateEvidence = Uint8Array

export const noEvidence = (): RateEvidence => new Uint8Array(rateCount)

interface VisitNews {
  /** Since the visit before. */
  readonly intervalMs: number
  readonly isChanged: boolean
  /** Since the last change, where the server says so and is to be believed: see credibleAgeMs. */
  readonly ageMs?: number | undefined
}

export function withNews(evidence: RateEvidence, news: VisitNews): RateEvidence {
  const units = ratesPerMs.map(
    (rate, index) => (memory * evidence[index]!) / stepsPerUnit - logLikelihood(rate, news),
  )
  const best = Math.min(...units)
  return Uint8Array.from(units, (unit) => Math.min(255, Math.round((unit - best) * stepsPerUnit)))
}

/** How likely each rate is, given what is usual on the site. Sums to 1. */
export function believed(evidence: RateEvidence, usual: readonly number[]): number[] {
  // Loops, for this is done after every visit, and functions for each rate make an object of each number.
  const shares = usual.slice()
  let sum = 0
  for (let index = 0; index < shares.length; index++) {
    shares[index]! *= Math.exp(-evidence[index]! / stepsPerUnit)
    sum += shares[index]!
  }
  for (let index = 0; index < shares.length; index++) shares[index]! /= sum
  return shares
}

function logLikelihood(rate: number, { intervalMs, isChanged, ageMs }: VisitNews): number {
  if (!isChanged) return -rate * intervalMs
  // The last change was then, and none since.
  if (ageMs !== undefined && ageMs < intervalMs) return Math.log(rate * intervalMs) - rate * ageMs
  return Math.log(Math.max(1e-14, -Math.expm1(-rate * intervalMs)))
}

/** How long ago the page says it changed, where that can be true: after the visit before, and not just now, which is
 * what pages say that are made for each request. */
export function credibleAgeMs(
  lastModifiedMs: number | undefined,
  visitedAtMs: number,
  intervalMs: number,
): number | undefined {
  if (lastModifiedMs === undefined || Number.isNaN(lastModifiedMs)) return undefined
  const ageMs = visitedAtMs - lastModifiedMs
  return ageMs > justNowMs && ageMs < intervalMs ? ageMs : undefined
}

const justNowMs = 5_000
