// The terms that a unit of a query stands for: for each of its words, those of all languages.

import { fieldTerm } from '../text/field-term.ts'
import { termsOf } from '../text/stemming.ts'
import { folded } from '../text/words.ts'
import type { Clause, Query, Unit } from './query.ts'

/** Of a word. Any of them will do. */
export type TermGroup = readonly string[]

export function groupsOf(unit: Unit, language: string | undefined): TermGroup[] {
  const { kind, words } = unit
  switch (kind) {
    case 'word':
    case 'phrase':
      return words.map((word) => termsOf(word, language))
    case 'title':
      return words.map((word) => termsOf(word, language).map((term) => fieldTerm('title', term)))
    case 'url':
      return words.map((word) => [fieldTerm('url', folded(word))])
    default:
      return [[fieldTerm(kind, words[0]!)]]
  }
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
