// Suggestion: for words that no page has, the nearest word that some do.
//
// Looked for among the terms that begin alike, in the largest segments: bounded work, for a query that found nothing.

import { distance } from 'fastest-levenshtein'
import type { Table } from '../../platform/storage/key-value.ts'
import type { Segment } from '../index/segment.ts'
import { termsFrom } from '../index/term-blocks.ts'
import { folded } from '../text/words.ts'

const segmentsMax = 4
const termsMax = 30_000

export interface NearWord {
  readonly word: string
  /** Characters that are others; 0: it is a word that pages have. */
  readonly far: number
  /** Documents of a segment that have it: the more, the likelier. */
  readonly count: number
}

export function nearestWord(word: string, segments: readonly Segment[], blocks: Table): NearWord | undefined {
  const wanted = folded(word)
  const farthest = wanted.length <= 4 ? 1 : 2
  let best: NearWord | undefined
  const largest = segments
    .toSorted((one, other) => other.columns.count - one.columns.count)
    .slice(0, segmentsMax)
  for (const prefix of [wanted.slice(0, 2), wanted.slice(0, 1)]) {
    for (const { number } of largest) {
      let looked = 0
      for (const { term, surface, count } of termsFrom(blocks, number, prefix)) {
        if (term < prefix) continue
        if (!term.startsWith(prefix) || ++looked > termsMax) break
        const shown = surface || term
        if (Math.abs(shown.length - wanted.length) > farthest || shown === wanted) continue
        const far = distance(folded(shown), wanted)
        if (far > farthest || far === 0) continue
        if (best === undefined || far < best.far || (far === best.far && count > best.count))
          best = { word: shown, far, count }
      }
    }
    if (best !== undefined) return best
  }
  return undefined
}
