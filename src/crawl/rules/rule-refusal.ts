// Why a rule keeps a URL that was found from being queued: denied, too deep, or of a type that is not wanted.
//
// Seeds were asked for by name, and are queued; a rule that denies them holds them back (frontier/held-urls.ts).

import { targetWords } from '../../model/jobs/site-rule.ts'
import type { Url } from '../../model/url/url.ts'
import { TypeFilter } from '../scope/type-filter.ts'
import type { RuleVerdict, SiteRules } from './site-rules.ts'

interface Found {
  readonly url: Url
  readonly kind: string
  readonly depth: number
  readonly requisiteHops?: number | undefined
}

export function ruleRefusal(
  rules: Pick<SiteRules, 'isEmpty' | 'of'>,
  { url, kind, depth, requisiteHops = 0 }: Found,
): string | undefined {
  if (rules.isEmpty || kind === 'seed') return undefined
  const { fields, sources } = rules.of(url)
  if (fields.access === 'deny') return `denied by the rule for ${targetWords(sources.access!.target)}`
  if (fields.depth !== undefined && depth > fields.depth && requisiteHops === 0)
    return `depth ${depth} is more than ${fields.depth}, by the rule for ${targetWords(sources.depth!.target)}`
  const type = ruleTypes({ fields, sources })?.refusal(url)
  return type && `${type}, by the rule for ${targetWords(sources.types!.target)}`
}

/** Few rules have types, and few different ones. */
const filters = new Map<string, TypeFilter>()
const filtersMax = 100

/** Which types a rule wants of a URL; undefined where none says. */
export function ruleTypes({ fields: { types } }: RuleVerdict): TypeFilter | undefined {
  if (types === undefined) return undefined
  let filter = filters.get(types)
  if (filter === undefined) {
    if (filters.size >= filtersMax) filters.clear()
    filters.set(types, (filter = new TypeFilter(types)))
  }
  return filter
}
