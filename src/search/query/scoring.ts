// Scoring: BM25 over the weighted fields of a document (BM25F with one length), with word statistics that come from outside: with
// those of all peers, every peer gives a document the score that one index of everything would give it.

import { isNewestFlag } from '../index/columns.ts'
import type { Segment } from '../index/segment.ts'
import { intersection, seek } from './list-merging.ts'
import { documentsOfGroup, postingsIn } from './segment-matching.ts'
import type { TermGroup } from './unit-terms.ts'

/** Of the newest texts of pages, whichever versions are searched. */
export interface WordStatistics {
  readonly documents: number
  readonly words: number
  /** In how many each scored word stands, in the order of the query. */
  readonly counts: readonly number[]
}

const k1 = 1.2
const b = 0.75

/** The documents that statistics are taken of. */
export interface StatisticsScope {
  /** Whether each document of a segment counts; undefined: all do. */
  marksOf(segment: Segment): Uint8Array | undefined
  /** Only of this site: whoever searches a site compares its pages with each other. */
  readonly site: TermGroup | undefined
}

export const wholeScope: StatisticsScope = { marksOf: () => undefined, site: undefined }

/** How many newest texts have the word. */
export function countOf(segments: readonly Segment[], group: TermGroup, scope = wholeScope): number {
  let count = 0
  for (const segment of segments) {
    const { flags } = segment.columns
    const marks = scope.marksOf(segment)
    for (const index of inScope(segment, documentsOfGroup(segment, group), scope))
      if ((flags[index]! & isNewestFlag) !== 0 && marks?.[index] !== 0) count++
  }
  return count
}

/** The newest texts, and their words. */
export function sizeOf(
  segments: readonly Segment[],
  scope: StatisticsScope,
): { documents: number; words: number } {
  let [documents, words] = [0, 0]
  for (const segment of segments) {
    const { flags, lengths, count } = segment.columns
    const marks = scope.marksOf(segment)
    const add = (index: number): void => {
      if ((flags[index]! & isNewestFlag) === 0 || marks?.[index] === 0) return
      documents++
      words += lengths[index]!
    }
    if (scope.site === undefined) for (let index = 0; index < count; index++) add(index)
    else for (const index of documentsOfGroup(segment, scope.site)) add(index)
  }
  return { documents, words }
}

function inScope(segment: Segment, documents: Int32Array, { site }: StatisticsScope): Int32Array {
  return site === undefined ? documents : intersection(documents, documentsOfGroup(segment, site))
}

/** No document scores more. */
export function scoreMax(statistics: WordStatistics): number {
  return statistics.counts.reduce((sum, count) => sum + (k1 + 1) * rarityOf(count, statistics), 0)
}

function rarityOf(count: number, { documents }: WordStatistics): number {
  return Math.log(1 + (Math.max(0, documents - count) + 0.5) / (count + 0.5))
}

/** Words are added in the order of the query, so that the same sum comes out everywhere to the last bit. */
export function scoresOf(
  segment: Segment,
  documents: Int32Array,
  groups: readonly TermGroup[],
  statistics: WordStatistics,
): Float64Array {
  const scores = new Float64Array(documents.length)
  const { lengths } = segment.columns
  const mean = statistics.documents === 0 ? 1 : Math.max(1, statistics.words / statistics.documents)
  for (const [number, group] of groups.entries()) {
    const rarity = rarityOf(statistics.counts[number] ?? 0, statistics)
    const weights = weightsOf(segment, documents, group)
    for (let at = 0; at < documents.length; at++) {
      const weight = weights[at]!
      if (weight === 0) continue
      const length = lengths[documents[at]!]!
      scores[at] = scores[at]! + (rarity * weight * (k1 + 1)) / (weight + k1 * (1 - b + (b * length) / mean))
    }
  }
  return scores
}

function weightsOf(segment: Segment, documents: Int32Array, group: TermGroup): Uint16Array {
  const sums = new Uint16Array(documents.length)
  for (const term of group) {
    const found = postingsIn(segment, term)
    if (found === undefined) continue
    const { list, counts } = found
    let at = 0
    for (let index = 0; index < documents.length; index++) {
      const document = documents[index]!
      at = seek(list.documents, document, at)
      if (at === list.documents.length) break
      if (list.documents[at] === document && counts?.(document) !== false)
        sums[index] = sums[index]! + list.weights[at]!
    }
  }
  return sums
}
