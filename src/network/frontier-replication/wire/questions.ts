// What peers ask each other about sites, as bytes. Every list has a bound.

import { choice, counter, ringKey } from '../../../formats/wire/message-fields.ts'
import { type In, list, type Out, record, Times, union } from '../../../formats/wire/message-schema.ts'
import type { LogPosition } from '../log-position.ts'
import { jobId, jobsMax, optionalName, position, shipment, sitesMax } from './site-batch.ts'

export const siteQuestion = union('question about sites', {
  /** Take these. Answered with `siteBatchAnswers`. */
  ship: { shipment },
  /** I am lease holder in this epoch: what have you, and take nothing of earlier epochs from now on. Answered with
   * `recallAnswers`. */
  recall: { sites: list(record({ site: ringKey, epoch: counter }), sitesMax) },
  /** Entries of the copy that you have at this log position. Answered with `sitePiece`. */
  fetch: { site: ringKey, position, from: optionalName },
  /** Answered with `jobDefinitions`. */
  jobs: { ids: list(jobId, jobsMax) },
  /** I have copies of these, which are yours by the ring. Answered with `holdingAnswers`. */
  holdings: { sites: list(record({ site: ringKey, position }), sitesMax) },
})
export type Question = In<typeof siteQuestion>

/** What a peer has of a site. */
export interface Holding {
  readonly position: LogPosition | undefined
  readonly established: number
}

/** What a peer has of a site; or that it takes the asker to be no lease holder any more, or does not know whether it is. */
export type RecallAnswer = Holding | 'superseded' | 'later'

export const recallAnswers = new Times(
  union('answer to a recall', {
    nothing: { established: counter },
    holding: { position, established: counter },
    superseded: {},
    later: {},
  }).as<RecallAnswer>(
    (read) => {
      if (read.kind === 'superseded' || read.kind === 'later') return read.kind
      return { position: read.kind === 'holding' ? read.position : undefined, established: read.established }
    },
    (answer) => {
      if (typeof answer === 'string') return { kind: answer }
      const { position: held, established } = answer
      return held === undefined
        ? { kind: 'nothing', established }
        : { kind: 'holding', position: held, established }
    },
  ),
)

/** `keep`: it may be needed. `drop`: all members have it, and the asker is none of them. `coming`: nobody crawls the site yet. */
const holdingAnswer = choice(['keep', 'drop', 'coming'])
export type HoldingAnswer = Out<typeof holdingAnswer>
export const holdingAnswers = new Times(holdingAnswer)
