// Query: what is searched for, taken apart.
//
// All clauses must be met; of a clause any alternative will do. Excluded clauses must not be met.

/** `word` and `phrase` look into the text, `title` and `url` into these fields; the others only filter. */
export type UnitKind = 'word' | 'phrase' | 'title' | 'url' | 'site' | 'lang' | 'type'

export interface Unit {
  readonly kind: UnitKind
  /** Of filters, one: the value. */
  readonly words: readonly string[]
}

export interface Clause {
  readonly alternatives: readonly Unit[]
  readonly isExcluded: boolean
}

/** Which versions: the newest text of each page, the one that was current at a time, or all of those times. */
export type QueryTime =
  | { readonly kind: 'newest' }
  | { readonly kind: 'at'; readonly atMs: number }
  /** Captured from `fromMs` on, and before `toMs`. */
  | { readonly kind: 'between'; readonly fromMs: number; readonly toMs: number }

export interface Query {
  readonly clauses: readonly Clause[]
  readonly time: QueryTime
}

export const everTime: QueryTime = {
  kind: 'between',
  fromMs: Number.NEGATIVE_INFINITY,
  toMs: Number.POSITIVE_INFINITY,
}

export function isFilter({ kind }: Unit): boolean {
  return kind === 'site' || kind === 'lang' || kind === 'type'
}
