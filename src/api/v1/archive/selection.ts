// Which captures a request is about, from its query: url, prefix, host or site, from and to.

import type { ArchiveSelection } from '../../../model/archive.ts'
import type { TimeRange } from '../../../model/time-range.ts'
import { timestampSpan } from '../../../model/timestamp.ts'
import { urlFromTyped } from '../../../model/url/url.ts'
import { ApiError } from '../../api-error.ts'

/** undefined when nothing is selected. */
export function selectionOf(query: URLSearchParams): Exclude<ArchiveSelection, { kind: 'all' }> | undefined {
  const given = (['url', 'prefix', 'host', 'site'] as const).filter((name) => query.get(name))
  if (given.length > 1)
    throw new ApiError(
      'request-bad-parameter',
      `Choose one of ${given.join(' and ')}: they exclude each other.`,
    )
  const [kind] = given
  if (kind === undefined) return undefined
  const text = query.get(kind)!
  switch (kind) {
    case 'url':
    case 'prefix':
      return { kind, url: urlFromTyped(text).href }
    case 'host':
      return { kind, host: urlFromTyped(text).host }
    case 'site':
      return { kind, site: urlFromTyped(text).host }
  }
}

/** Both included. */
export function betweenOf(query: URLSearchParams): TimeRange {
  const from = query.get('from')
  const to = query.get('to')
  return {
    ...(from && { fromMs: timestampSpan(from).fromMs }),
    ...(to && { toMs: timestampSpan(to).toMs }),
  }
}
