// The terms that a unit of a query stands for: for each of its words, those of all languages. A term counts in pages of the languages that
// make it of the word: Danish leaves *for* of *forest*, but no English page that has *for* is about one.

import { fieldTerm } from '../text/field-term.ts'
import { termOf, termsOf } from '../text/stemming.ts'
import { folded } from '../text/words.ts'
import type { Clause, Query, Unit } from './query.ts'

/** Of a word. Any of them will do. */
export type TermGroup = readonly QueryTerm[]

export interface QueryTerm {
  /** As it is indexed. */
  readonly term: string
  /** What it was made of, and the stem without its field; undefined: it counts in every language. */
  readonly of: { readonly word: string; readonly stem: string } | undefined
}

export function countsIn({ of }: QueryTerm, language: string): boolean {
  return of === undefined || termOf(of.word, language) === of.stem
}

export function groupsOf(unit: Unit, language: string | undefined): TermGroup[] {
  const { kind, words } = unit
  switch (kind) {
    case 'word':
    case 'phrase':
      return words.map((word) => stemsOf(word, language, (stem) => stem))
    case 'title':
      return words.map((word) => stemsOf(word, language, (stem) => fieldTerm('title', stem)))
    case 'url':
      return words.map((word) => [{ term: fieldTerm('url', folded(word)), of: undefined }])
    default:
      return [[{ term: fieldTerm(kind, words[0]!), of: undefined }]]
  }
}

function stemsOf(word: string, language: string | undefined, indexed: (stem: string) => string): TermGroup {
  return termsOf(word, language).map((stem) => ({ term: indexed(stem), of: { word, stem } }))
}

/** The same for groups that find the same. */
export function nameOfGroup(group: TermGroup): string {
  return group.map(({ term, of }) => `${term} ${of?.word ?? ''}`).join('\n')
}

/** The language that all results must have, where the query says so. */
export function languageOfQuery(query: Query): string | undefined {
  return onlyOf(query, 'lang')
}

/** The site, or name under which they lie, that all results must be of. */
export function siteOfQuery(query: Query): string | undefined {
  return onlyOf(query, 'site')
}

function onlyOf({ clauses }: Query, kind: Unit['kind']): string | undefined {
  const only = ({ isExcluded, alternatives }: Clause): boolean =>
    !isExcluded && alternatives.length === 1 && alternatives[0]!.kind === kind
  return clauses.find(only)?.alternatives[0]?.words[0]
}
