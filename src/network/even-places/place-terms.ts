// What evening out places trades.

import type { PlanTerms } from './place-plan.ts'

export interface PlaceTerms extends PlanTerms {
  /** How often others are asked: more often is even sooner, and costs some small questions each time. */
  readonly lookMs: number
  /** So long nobody near us has come or gone before a place is taken or given up: less is even sooner, and moves what a peer that was only
   * started again would have had anyway. */
  readonly calmMs: number
  /** Between two steps of ours: what the last one did has to be seen first. */
  readonly stepEveryMs: number
  /** What others' words can make us do in a day at most. */
  readonly stepsPerDayMax: number
  /** A place that was taken is kept so long, and one that was given up is left alone: so nothing is copied to and fro. */
  readonly restMs: number
  /** While those concerned keep less than this there is nothing to even out. */
  readonly bytesMin: number
  /** Whose fullness is known, we among them: of fewer one alone would be the median. */
  readonly heardMin: number
  /** Others asked in one look. */
  readonly askedMax: number
}

export const placeTermsDefault: PlaceTerms = {
  band: 0.1,
  gainMin: 0.005,
  lookMs: 600_000,
  calmMs: 600_000,
  stepEveryMs: 900_000,
  stepsPerDayMax: 12,
  restMs: 24 * 3_600_000,
  bytesMin: 100_000_000,
  heardMin: 3,
  askedMax: 32,
}
