// What peers ask each other about sites, as bytes. Every list has a bound.

import { choice, counter, ringKey } from '../../../formats/wire/message-fields.ts'
import { type In, list, type Out, record, Times, union } from '../../../formats/wire/message-schema.ts'
import type { Stage } from '../stage.ts'
import { jobId, jobsMax, optionalName, shipment, sitesMax, stage } from './parcel.ts'

export const siteQuestion = union('question about sites', {
  /** Take these. Answered with `parcelAnswers`. */
  ship: { shipment },
  /** I am steward in this epoch: what have you, and take nothing of earlier epochs from now on. Answered with `recallAnswers`. */
  recall: { sites: list(record({ site: ringKey, epoch: counter }), sitesMax) },
  /** Entries of the copy that you have at this stage. Answered with `sitePiece`. */
  fetch: { site: ringKey, stage, from: optionalName },
  /** Answered with `jobCards`. */
  jobs: { ids: list(jobId, jobsMax) },
  /** I have copies of these, which are yours by the ring. Answered with `holdingAnswers`. */
  holdings: { sites: list(record({ site: ringKey, stage }), sitesMax) },
})
export type Question = In<typeof siteQuestion>

/** What a peer has of a site. */
export interface Holding {
  readonly stage: Stage | undefined
  readonly established: number
}

/** What a peer has of a site; or that it takes the asker to be no steward any more, or does not know whether it is. */
export type RecallAnswer = Holding | 'superseded' | 'later'

export const recallAnswers = new Times(
  union('answer to a recall', {
    nothing: { established: counter },
    holding: { stage, established: counter },
    superseded: {},
    later: {},
  }).as<RecallAnswer>(
    (read) => {
      if (read.kind === 'superseded' || read.kind === 'later') return read.kind
      return { stage: read.kind === 'holding' ? read.stage : undefined, established: read.established }
    },
    (answer) => {
      if (typeof answer === 'string') return { kind: answer }
      const { stage: held, established } = answer
      return held === undefined
        ? { kind: 'nothing', established }
        : { kind: 'holding', stage: held, established }
    },
  ),
)

/** `keep`: it may be needed. `drop`: all members have it, and the asker is none of them. `coming`: nobody crawls the site yet. */
const holdingAnswer = choice(['keep', 'drop', 'coming'])
export type HoldingAnswer = Out<typeof holdingAnswer>
export const holdingAnswers = new Times(holdingAnswer)
