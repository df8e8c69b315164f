// Requests between peers about sites, as bytes. Every list is bounded.

import { counter, printable, ringKey } from '../../../formats/wire/message-fields.ts'
import { type In, list, record, Times, union } from '../../../formats/wire/message-schema.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { LogPosition } from '../log-position.ts'
import { jobId, jobsMax, optionalName, position, shipment, sitesMax } from './site-batch.ts'

const peerBytesMax = 128

export const siteQuestion = union('question about sites', {
  /** Changes for your replicas. Answered with `siteBatchAnswers`. */
  ship: { shipment },
  /** I hold the leases of these epochs: what have you? Refuse earlier epochs from now on. Answered with `recallAnswers`. */
  recall: { sites: list(record({ site: ringKey, epoch: counter }), sitesMax) },
  /** Entries of the copy that you have at this log position. Answered with `sitePiece`. */
  fetch: { site: ringKey, position, from: optionalName },
  /** Answered with `jobDefinitions`. */
  jobs: { ids: list(jobId, jobsMax) },
  /** I have replicas of these sites, which the ring gives to you. Answered with `holdingAnswers`. */
  holdings: { sites: list(record({ site: ringKey, position }), sitesMax) },
})
export type Question = In<typeof siteQuestion>

/** What a peer has of a site. */
export interface Holding {
  readonly position: LogPosition | undefined
  readonly established: number
}

/** What a peer has of a site; `superseded`: the asker does not hold the lease any more; `later`: it is not known yet whether it
 * does. */
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

/** `keep`: it may be needed. `drop`: all members have it, and the asker is none of them. `coming`: nobody crawls the site yet. Or the
 * member that crawls it, and is to be asked. */
export type HoldingAnswer = 'keep' | 'drop' | 'coming' | { readonly peer: PeerId }

export const holdingAnswers = new Times(
  union('answer to a report of replicas', {
    keep: {},
    drop: {},
    coming: {},
    elsewhere: { peer: printable(peerBytesMax).checked((name) => name !== '', 'a peer without a name') },
  }).as<HoldingAnswer>(
    (read) => (read.kind === 'elsewhere' ? { peer: read.peer } : read.kind),
    (answer) => (typeof answer === 'string' ? { kind: answer } : { kind: 'elsewhere', peer: answer.peer }),
  ),
)
