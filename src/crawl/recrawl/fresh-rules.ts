// Fresh rules: how fresh a site is to be kept (`--fresh 1d`), as bounds of its visit intervals.
//
// `1d` alone is a ceiling: no page waits longer than a day, if the site's pace has room for it. `1h-7d` is a floor and a
// ceiling. Without a rule the defaults hold.

import { PolyhistorError } from '../../errors.ts'
import type { SiteTerms } from './page-visits.ts'
import { boundsDefault } from './site-plan.ts'
import type { IntervalBounds } from './visit-interval.ts'

class FreshError extends PolyhistorError {
  constructor(text: string) {
    super(
      'fresh-malformed',
      `"${text}" is no time span: write 90s, 30m, 6h, 1d or 2w, or two of them as in 1h-7d`,
    )
  }
}

/** The share of what politeness allows that goes into visiting again. */
const shareForFreshness = 0.5

/** A site is asked at most as often as politeness towards strangers allows, with room left for crawls: a short `--delay` is for a
 * crawl, not for asking the same pages for ever. */
export function termsFor(
  politeness: { readonly delayMs: number | undefined; readonly delayMsMin: number },
  bounds: IntervalBounds | undefined,
): SiteTerms {
  const delayMs = Math.max(politeness.delayMs ?? 0, politeness.delayMsMin)
  return { budgetPerMs: shareForFreshness / delayMs, ...(bounds && { bounds }) }
}

const unitsMs: Record<string, number> = { s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7, w: 6.048e8 }

export function parseFresh(text: string): IntervalBounds {
  const [first = '', second, ...rest] = text.trim().split('-')
  if (rest.length > 0) throw new FreshError(text)
  if (second === undefined) {
    const maxMs = spanMs(first, text)
    return { minMs: Math.min(boundsDefault.minMs, maxMs), maxMs }
  }
  const bounds = { minMs: spanMs(first, text), maxMs: spanMs(second, text) }
  if (bounds.minMs > bounds.maxMs) throw new FreshError(text)
  return bounds
}

function spanMs(span: string, text: string): number {
  const [, digits, unit] = /^(\d{1,6}(?:\.\d{1,3})?)([smhdw])$/.exec(span.trim()) ?? []
  if (digits === undefined || unit === undefined || Number(digits) === 0) throw new FreshError(text)
  return Number(digits) * unitsMs[unit]!
}
