// What peers ask each other in a search, as bytes. Every text and list is bounded.
//
// A search takes three questions: how common its words are (`count`), the best of each part of the ring by the sums of that (`find`), and
// what is shown of those that are the best of all (`show`).

import {
  choice,
  counter,
  flag,
  float,
  number,
  optionalText,
  printable,
  ringKey,
  text,
  uint,
} from '../../formats/wire/message-fields.ts'
import { list, type Out, optional, record, union } from '../../formats/wire/message-schema.ts'
import { linkCharsMax, tryParseLink } from '../../model/url/url.ts'
import { queryCharsMax, unitsMax } from '../../search/query/parse-query.ts'
import { hitsMax } from '../../search/search-answer.ts'
import { documentTypes } from '../../search/text/page-text.ts'

/** Parts of the ring in one question. */
export const arcsMax = 4_096
const wordsMax = 32 * unitsMax
const siteBytesMax = 253
const timeBytesMax = 40
const wordBytesMax = 256
const bytesPerChar = 4
const titleCharsMax = 500
const snippetPartsMax = 100
const snippetCharsMax = 2_000
const facetsMax = 300

const asked = {
  text: text(bytesPerChar * queryCharsMax),
  site: optionalText(bytesPerChar * siteBytesMax),
  at: optionalText(timeBytesMax),
}
const where = {
  /** Answered are those of which the peer has everything. */
  arcs: list(record({ after: ringKey, upTo: ringKey }), arcsMax),
  /** Of the asker, for the places of sites that are divided. */
  splitsId: printable(64),
  /** Also those of which it may lack something. */
  isAnyway: flag,
}
const score = float.checked((value) => value >= 0, 'a score below zero')
const pageNumber = uint(6)
const found = record({ score, page: pageNumber, document: uint(6) })
const statisticsFields = {
  documents: counter,
  words: counter,
  counts: list(counter, wordsMax),
}

export const searchMessage = union('question of a search', {
  /** Answered with `countAnswer`. */
  count: { ...asked, ...where },
  /** Answered with `findAnswer`. */
  find: {
    ...asked,
    ...where,
    ...statisticsFields,
    limit: number(hitsMax),
    after: optional(record({ score, page: pageNumber })),
    hasFacets: flag,
  },
  /** Answered with `showAnswer`. */
  show: { ...asked, found: list(found, hitsMax) },
  /** For words that no page has, the nearest that some do. Answered with `nearAnswer`. */
  near: { words: list(text(wordBytesMax), wordsMax) },
})
export type SearchMessage = Out<typeof searchMessage>
export type MessageOf<Kind extends SearchMessage['kind']> = Extract<SearchMessage, { kind: Kind }>

/** Of those arcs of which everything is there; for each that was asked for, whether it is one. */
const completeFields = { complete: list(flag, arcsMax) }

export const countAnswer = record({ ...completeFields, ...statisticsFields })
export type CountAnswer = Out<typeof countAnswer>

const facet = list(record({ name: text(siteBytesMax), count: counter }), facetsMax)

export const findAnswer = record({
  ...completeFields,
  total: counter,
  isPartial: flag,
  best: list(found, hitsMax + 1),
  facets: optional(record({ sites: facet, years: facet, types: facet, languages: facet })),
})
export type FindAnswer = Out<typeof findAnswer>

const href = text(linkCharsMax).checked((value) => tryParseLink(value)?.href === value, 'a href is no URL')

export const showAnswer = list(
  /** Nothing for what is not there any more, or was taken down. */
  optional(
    record({
      href,
      timeMs: counter,
      title: text(bytesPerChar * titleCharsMax),
      snippet: list(record({ text: text(snippetCharsMax), isMarked: flag }), snippetPartsMax),
      language: printable(8),
      type: choice(documentTypes),
      firstMs: counter,
      lastMs: counter,
      endMs: optional(counter),
      versions: counter,
    }),
  ),
  hitsMax,
)
export type ShownHit = NonNullable<Out<typeof showAnswer>[number]>

export const nearAnswer = list(
  optional(record({ word: text(wordBytesMax), far: number(8), count: counter })),
  wordsMax,
)

/** As much of a title as is sent. */
export function shortTitle(title: string): string {
  return title.slice(0, titleCharsMax).toWellFormed()
}
