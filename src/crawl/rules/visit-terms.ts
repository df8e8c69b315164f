// Visit terms: what job and rules together want of one visit. A rule narrows what a job keeps, and never widens it.

import type { BrowserUse } from '../../model/jobs/site-rule.ts'
import type { Url } from '../../model/url/url.ts'
import type { TypeFilter } from '../scope/type-filter.ts'
import { ruleTypes } from './rule-refusal.ts'
import type { SiteRules } from './site-rules.ts'

export interface VisitTerms {
  readonly types: Pick<TypeFilter, 'keeps'>
  /** Of the response. */
  readonly bytesMax: number | undefined
  /** Instead of what the crawl was started with. */
  readonly browser: BrowserUse | undefined
}

export function visitTerms(rules: Pick<SiteRules, 'of'>, url: Url, wanted: VisitTerms['types']): VisitTerms {
  const verdict = rules.of(url)
  const { bytesMax, browser } = verdict.fields
  const ruled = ruleTypes(verdict)
  const types =
    ruled === undefined
      ? wanted
      : { keeps: (mediaType: string) => wanted.keeps(mediaType) && ruled.keeps(mediaType) }
  return { types, bytesMax, browser }
}
