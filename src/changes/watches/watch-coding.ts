// How watches, what is known of them and what they saw lie on disk. The order of fields is the format: append only, behind a version.

import { PolyhistorError } from '../../errors.ts'
import {
  choice,
  counter,
  fixed,
  flag,
  number,
  optionalText,
  text,
} from '../../formats/wire/message-fields.ts'
import {
  joined,
  list,
  mark,
  marked,
  optional,
  record,
  type Schema,
  union,
  versioned,
} from '../../formats/wire/message-schema.ts'
import { browserUses } from '../../model/jobs/site-rule.ts'
import { changeKinds } from '../change-event.ts'
import { excerptPiecesMax, excerptRowsMax } from './excerpt.ts'
import type { ExcerptRow, PageWatch, WatchSighting, WatchState } from './page-watch.ts'

const urlBytesMax = 64 * 1024
const nameBytesMax = 1_000
const ruleBytesMax = 4_000
const rulesMax = 20
const excerptBytesMax = 4_000
const sharesOfOne = 10_000
const eventIdBytes = 16

const share = number(sharesOfOne).as(
  (parts) => parts / sharesOfOne,
  (value: number) => Math.round(Math.min(1, Math.max(0, value)) * sharesOfOne),
)
const rules = list(text(ruleBytesMax), rulesMax)

export const watchCoding: Schema<PageWatch> = ofVersion(
  record({
    id: text(64),
    feedKey: text(64),
    createdAtMs: counter,
    isPaused: flag,
    name: text(nameBytesMax),
    target: union('target', {
      url: { url: text(urlBytesMax) },
      prefix: { url: text(urlBytesMax) },
      site: { site: text(nameBytesMax) },
    }),
    look: record({
      part: union('part', { page: {}, 'main-text': {}, selector: { selector: text(ruleBytesMax) } }),
      ignoreSelectors: rules,
      ignorePatterns: rules,
      leastShare: share,
    }),
    tellsCosmetic: flag,
    everyMs: counter,
    browser: optional(choice(browserUses)),
  }),
) as Schema<PageWatch>

const partStates = ['unknown', 'found', 'missing', 'unread'] as const

export const stateCoding: Schema<WatchState> = ofVersion(
  record({
    part: choice(partStates),
    isGone: flag,
    redirectsTo: optionalText(urlBytesMax),
    toldCount: counter,
    seenAtMs: optional(counter),
    archiving: choice(['none', 'wanted', 'asked']),
    job: optionalText(nameBytesMax),
  }),
) as Schema<WatchState>

const piece = record({ text: text(excerptBytesMax), isMarked: flag })
const pieces = list(piece, excerptPiecesMax)
const row = union('row', {
  removed: { text: text(excerptBytesMax) },
  added: { text: text(excerptBytesMax) },
  changed: { left: pieces, right: pieces },
}) as Schema<ExcerptRow>

export const sightingCoding: Schema<WatchSighting> = ofVersion(
  joined(
    record({
      id: fixed(eventIdBytes),
      stamp: counter,
      atMs: counter,
      kind: choice(changeKinds),
      url: text(urlBytesMax),
      part: choice(partStates),
      partBefore: choice(partStates),
      excerpt: record({ rows: list(row, excerptRowsMax), rowsLeftOut: counter }),
    }),
    marked({
      isFirst: mark,
      wordShare: share,
      beforeMs: counter,
      status: number(999),
      target: text(urlBytesMax),
      title: text(nameBytesMax),
    }),
  ),
) as Schema<WatchSighting>

function ofVersion<O, I>(schema: Schema<O, I>): Schema<O, I> {
  return versioned(
    1,
    schema,
    (version) =>
      new PolyhistorError(
        'watches-version',
        `The watches of this home were written by a later version of this program (${version}). Use that, or move its folder "watches" away.`,
      ),
  )
}
