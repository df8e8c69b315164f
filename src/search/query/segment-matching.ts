// Segment matching: which documents of a segment meet a query.

import { hasGapsFlag, isAliveFlag, isNewestFlag } from '../index/columns.ts'
import { PlaceReader, type PostingList } from '../index/posting-list.ts'
import type { Segment } from '../index/segment.ts'
import { intersection, seek, union, without } from './list-merging.ts'
import type { QueryTime } from './query.ts'
import { countsIn, type QueryTerm, type TermGroup } from './unit-terms.ts'

export interface PreparedUnit {
  readonly groups: readonly TermGroup[]
}

export interface PreparedClause {
  readonly units: readonly PreparedUnit[]
  readonly isExcluded: boolean
}

/** Whether a document with gaps was current at that time: its page knows. */
export type WasCurrent = (segment: Segment, index: number, atMs: number) => boolean

const none = new Int32Array(0)

export function matchingDocuments(
  segment: Segment,
  clauses: readonly PreparedClause[],
  time: QueryTime,
  wasCurrent: WasCurrent,
): Int32Array {
  const wanted = clauses
    .filter(({ isExcluded }) => !isExcluded)
    .map((clause) => documentsOfClause(segment, clause))
    .sort((one, other) => one.length - other.length)
  let found = wanted[0] ?? none
  for (const list of wanted.slice(1)) found = intersection(found, list)
  let rest = filtered(segment, found, time, wasCurrent)
  for (const clause of clauses)
    if (clause.isExcluded && rest.length > 0) rest = without(rest, documentsOfClause(segment, clause))
  return rest
}

export function documentsOfGroup(segment: Segment, group: TermGroup): Int32Array {
  const lists = group.flatMap((term) => {
    const found = postingsIn(segment, term)
    if (found === undefined) return []
    const { list, counts } = found
    return counts === undefined ? [list.documents] : [list.documents.filter(counts)]
  })
  return lists.length === 0 ? none : union(lists)
}

interface CountingPostings {
  readonly list: PostingList
  /** Whether it counts in a document; undefined: in all. */
  readonly counts: ((document: number) => boolean) | undefined
}

/** undefined where it counts nowhere. */
export function postingsIn(segment: Segment, term: QueryTerm): CountingPostings | undefined {
  const { languages, languageNames } = segment.columns
  const fits = languageNames.map((language) => countsIn(term, language))
  if (!fits.includes(true)) return undefined
  const list = segment.postings(term.term)
  if (list === undefined) return undefined
  return { list, counts: fits.includes(false) ? (document) => fits[languages[document]!]! : undefined }
}

function documentsOfClause(segment: Segment, { units }: PreparedClause): Int32Array {
  return union(units.map((unit) => documentsOfUnit(segment, unit)))
}

function documentsOfUnit(segment: Segment, { groups }: PreparedUnit): Int32Array {
  let found = documentsOfGroup(segment, groups[0] ?? [])
  for (const group of groups.slice(1)) {
    if (found.length === 0) return none
    found = intersection(found, documentsOfGroup(segment, group))
  }
  return groups.length > 1 && found.length > 0 ? withPhrase(segment, found, groups) : found
}

/** Those in which the words stand one behind the other. */
function withPhrase(segment: Segment, documents: Int32Array, groups: readonly TermGroup[]): Int32Array {
  const readers = groups.map((group) =>
    group.flatMap((term) => {
      const found = postingsIn(segment, term)
      return found === undefined ? [] : [new PlacesOfTerm(found)]
    }),
  )
  return documents.filter((document) => {
    let ends: Set<number> | undefined
    for (const terms of readers) {
      const places = terms.flatMap((term) => term.placesIn(document))
      const next = new Set<number>()
      for (const place of places) if (ends === undefined || ends.has(place)) next.add(place + 1)
      if (next.size === 0) return false
      ends = next
    }
    return true
  })
}

class PlacesOfTerm {
  readonly #list: PostingList
  readonly #counts: CountingPostings['counts']
  readonly #reader: PlaceReader
  #at = 0

  constructor({ list, counts }: CountingPostings) {
    this.#list = list
    this.#counts = counts
    this.#reader = new PlaceReader(list)
  }

  /** Documents are asked for in ascending order. */
  placesIn(document: number): number[] {
    this.#at = seek(this.#list.documents, document, this.#at)
    const isThere = this.#list.documents[this.#at] === document && this.#counts?.(document) !== false
    return isThere ? this.#reader.placesOf(this.#at) : []
  }
}

function filtered(
  segment: Segment,
  documents: Int32Array,
  time: QueryTime,
  wasCurrent: WasCurrent,
): Int32Array {
  const { flags, fromMs, lastMs, toMs } = segment.columns
  const left = new Int32Array(documents.length)
  let count = 0
  for (let at = 0; at < documents.length; at++) {
    const index = documents[at]!
    const flag = flags[index]!
    if (time.kind === 'newest') {
      if ((flag & isNewestFlag) === 0) continue
    } else {
      if ((flag & isAliveFlag) === 0) continue
      if (time.kind === 'between') {
        if (fromMs[index]! >= time.toMs || lastMs[index]! < time.fromMs) continue
      } else {
        if (fromMs[index]! > time.atMs || toMs[index]! <= time.atMs) continue
        if ((flag & hasGapsFlag) !== 0 && !wasCurrent(segment, index, time.atMs)) continue
      }
    }
    left[count++] = index
  }
  return left.subarray(0, count)
}
