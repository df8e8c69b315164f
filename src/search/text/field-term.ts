// Terms of a field: what `title:`, `url:`, `site:`, `lang:` and `type:` look for.

/** Begins the terms of a field: no word contains it. */
export const fieldMark = '\u0001'

export type TermField = 'title' | 'url' | 'site' | 'lang' | 'type'

export function fieldTerm(field: TermField, term: string): string {
  return `${fieldMark}${field}:${term}`
}
