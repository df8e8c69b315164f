// Messages about shared jobs: what each peer has of a job, and how many pages it may fetch.

import { type CrawlCounts, noCrawlCounts } from '../../crawl/crawl-report.ts'
import { type JobCounters, type JobShare, noCounts } from '../../crawl/frontier/jobs/crawl-job.ts'
import { MessageMalformed, MessageReader, MessageWriter } from '../../formats/wire/message-bytes.ts'
import { counter, flag } from '../../formats/wire/message-fields.ts'
import { record, type Schema, Times } from '../../formats/wire/message-schema.ts'
import type { DepartedShare, JobSums } from './job-announcement.ts'

export interface PeerShare extends JobShare {
  /** Since it was begun or went on in this process. */
  readonly counts: CrawlCounts
  /** Links of it that wait in the outbox. */
  readonly waiting: number
  /** Sites that are on their way here or from here: what is queued for them is in no frontier now. */
  readonly unsettled: number
  /** Which process it is: another one may have forgotten what it did last. */
  readonly process: number
  /** Grows with everything that is done for the job. */
  readonly activity: number
}

type JobQuestion =
  /** Includes the asker's own shares: nobody polls the coordinator, and it may disappear. */
  | { readonly kind: 'shares'; readonly jobIds: readonly string[]; readonly own: readonly PeerShare[] }
  | { readonly kind: 'allot'; readonly jobId: string; readonly pages: number }

const kinds = ['shares', 'allot'] as const
const idBytesMax = 64
export const jobsAtOnce = 500

const counterNames = Object.keys(noCounts()) as (keyof JobCounters)[]
const countNames = Object.keys(noCrawlCounts()) as (keyof CrawlCounts)[]

export function noShare(own: Pick<PeerShare, 'waiting' | 'unsettled' | 'process' | 'activity'>): PeerShare {
  return {
    counters: noCounts(),
    counts: noCrawlCounts(),
    tasks: 0,
    allotted: undefined,
    isOutOfPages: false,
    isAllHeld: false,
    ...own,
  }
}

/** The share of a departed peer: what it did stays counted; what it had left goes to other peers together with its sites. */
export function shareOfDeparted({ counters, counts }: DepartedShare): PeerShare {
  const share = noShare({ waiting: 0, unsettled: 0, process: 0, activity: 0 })
  return { ...share, counters: { ...share.counters, ...counters, queued: 0, pending: 0 }, counts }
}

/** Of all shares together. Time is what the longest has run, for they run side by side. */
export function sumOf(shares: Iterable<PeerShare>): JobSums {
  const counters = noCounts()
  const counts = noCrawlCounts()
  let underWay = 0
  for (const share of shares) {
    for (const name of counterNames) {
      const more = share.counters[name]
      counters[name] = name === 'timeMs' ? Math.max(counters[name], more) : counters[name] + more
    }
    for (const name of countNames) counts[name] += share.counts[name]
    underWay += share.tasks
  }
  return { counters, counts, underWay }
}

const whole = counter.as<number>(
  (figure) => figure,
  (figure) => Math.max(0, Math.round(figure)),
)

function figuresOf<Name extends string>(names: readonly Name[]): Schema<Record<Name, number>> {
  const fields = Object.fromEntries(names.map((name) => [name, whole]))
  return record(fields) as unknown as Schema<Record<Name, number>>
}

const shares = new Times<PeerShare, PeerShare>(
  record({
    counters: figuresOf(counterNames),
    counts: figuresOf(countNames),
    tasks: counter,
    allotted: counter.as<number | undefined>(
      (pages) => (pages === 0 ? undefined : pages - 1),
      (pages) => (pages === undefined ? 0 : pages + 1),
    ),
    isOutOfPages: flag,
    isAllHeld: flag,
    waiting: counter,
    unsettled: counter,
    process: counter,
    activity: counter,
  }),
)

export function writeQuestion(question: JobQuestion): Uint8Array {
  const writer = new MessageWriter().byte(kinds.indexOf(question.kind))
  if (question.kind === 'allot') return writer.text(question.jobId).number(question.pages).finish()
  writer.number(question.jobIds.length)
  for (const id of question.jobIds) writer.text(id)
  shares.write(writer, question.own)
  return writer.finish()
}

export function readQuestion(bytes: Uint8Array): JobQuestion {
  const reader = new MessageReader(bytes)
  const kind = kinds[reader.byte()]
  if (kind === 'allot') return { kind, jobId: reader.name(idBytesMax), pages: reader.counter() }
  if (kind !== 'shares') throw new MessageMalformed('an unknown question about jobs')
  const count = reader.number(jobsAtOnce)
  const jobIds = Array.from({ length: count }, () => reader.name(idBytesMax))
  return { kind, jobIds, own: shares.read(reader, count) }
}

export function writeShares(given: readonly PeerShare[]): Uint8Array {
  const writer = new MessageWriter().number(given.length)
  shares.write(writer, given)
  return writer.finish()
}

export function readShares(bytes: Uint8Array, count: number): PeerShare[] {
  const reader = new MessageReader(bytes)
  if (reader.number() !== count) throw new MessageMalformed('shares of other jobs than were asked for')
  return shares.read(reader, count)
}
