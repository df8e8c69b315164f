// What peers ask each other about their sites, queues and URLs, as bytes.

import {
  choice,
  counter,
  flag,
  number,
  optionalText,
  printable,
  ringKey,
  text,
} from '../../formats/wire/message-fields.ts'
import { list, optional, record, union } from '../../formats/wire/message-schema.ts'
import { surveyPageMax } from '../../model/survey.ts'

/** Longer URLs are cut: a page of them must fit into an answer. */
export const urlShownCharsMax = 2_000
const nameBytesMax = 300
const cursorBytesMax = 1_300
const jobBytesMax = 128
const peerBytesMax = 128
const membersMax = 64
const failingMax = 20
const reasonBytesMax = 500

/** Moments may fall between two milliseconds. */
const moment = counter.as<number>(
  (timeMs) => timeMs,
  (timeMs) => Math.max(0, Math.round(timeMs)),
)

const page = { after: optionalText(cursorBytesMax), limit: number(surveyPageMax) }

export const surveyQuestion = record({
  of: union('a question about sites', {
    sites: page,
    site: { key: ringKey },
    queues: { key: ringKey, ...page },
    queued: { key: ringKey, job: printable(jobBytesMax), host: printable(nameBytesMax), ...page },
    visits: { key: ringKey, ...page },
    visit: { url: text(urlShownCharsMax) },
    job: { id: printable(jobBytesMax) },
  }),
})

const siteRow = {
  key: ringKey,
  site: printable(nameBytesMax),
  isCrawled: flag,
  pages: counter,
  queued: counter,
}
const next = optionalText(cursorBytesMax)

export const sitesAnswer = record({ rows: list(record(siteRow), surveyPageMax), next })

export const siteAnswer = optional(
  record({
    ...siteRow,
    hosts: counter,
    isMore: flag,
    known: counter,
    /** Thousandths. */
    visitsPerDay: counter,
    captures: counter,
    areCapturesMore: flag,
    lease: optional(record({ epoch: counter, members: list(printable(peerBytesMax), membersMax) })),
    copies: counter,
    failing: list(
      record({ host: printable(nameBytesMax), reason: printable(reasonBytesMax), untilMs: moment }),
      failingMax,
    ),
  }),
)

export const queuesAnswer = record({
  rows: list(
    record({
      job: printable(jobBytesMax),
      host: printable(nameBytesMax),
      taken: counter,
      pending: counter,
      allowedAtMs: moment,
      state: choice(['waiting', 'held', 'empty']),
    }),
    surveyPageMax,
  ),
  next,
})

export const queuedAnswer = record({
  rows: list(
    record({
      url: text(urlShownCharsMax),
      kind: printable(20),
      depth: counter,
      attempt: counter,
      via: text(urlShownCharsMax),
    }),
    surveyPageMax,
  ),
  next,
})

const visitRow = record({
  url: text(urlShownCharsMax),
  dueAtMs: moment,
  visitedAtMs: optional(moment),
  intervalMs: optional(moment),
  failures: counter,
  state: choice(['planned', 'under-way', 'stopped']),
})

export const visitsAnswer = record({ rows: list(visitRow, surveyPageMax), next })
export const visitAnswer = optional(visitRow)

export const jobHostsMax = 500
export const jobReasonsMax = 50

export const jobAnswer = record({
  hosts: list(record({ host: printable(nameBytesMax), queued: counter, pending: counter }), jobHostsMax),
  areHostsAll: flag,
  missing: list(
    record({
      code: printable(60),
      words: printable(reasonBytesMax),
      count: counter,
      seeds: counter,
      url: text(urlShownCharsMax),
      reason: text(reasonBytesMax),
    }),
    jobReasonsMax,
  ),
})
