// How ranks are computed, as the settings have it.

import type { Values } from '../../config/settings.ts'
import { tryParseUrl } from '../../model/url/url.ts'
import type { RankTerms } from '../../rank/rank-parts.ts'
import { type RankOptions, rankOptionsDefault } from './peer-rank.ts'

type RankValues = Pick<Values, 'rank.maxAge' | 'rank.damping' | 'rank.seeds'>

export function rankTermsOf(values: Pick<RankValues, 'rank.damping' | 'rank.seeds'>): RankTerms {
  const seeds = values['rank.seeds'].map((seed) => siteOf(seed))
  return { ...rankOptionsDefault, damping: values['rank.damping'], seeds: [...new Set(seeds)] }
}

/** undefined: they are not computed. */
export function rankOptionsOf(values: RankValues): RankOptions | undefined {
  const maxAgeMs = values['rank.maxAge']
  return maxAgeMs === 0 ? undefined : { ...rankOptionsDefault, ...rankTermsOf(values), maxAgeMs }
}

/** A seed may be written as a site or as any URL of it. */
function siteOf(seed: string): string {
  return tryParseUrl(/^https?:/i.test(seed) ? seed : `http://${seed}/`)?.site ?? seed
}
