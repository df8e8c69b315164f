// What a CDX query is about: `url` and `matchType`, or `*` for short, turned into what the archive can scan.

import type { ArchiveSelection } from '../../model/archive.ts'
import { type Url, urlFromTyped } from '../../model/url/url.ts'
import { ApiError, badParameter } from '../api-error.ts'
import type { CdxDialect } from './cdx-fields.ts'

export interface CdxTarget {
  readonly selection: ArchiveSelection
  /** Set when the query is about one URL. */
  readonly url: Url | undefined
  /** Captures of other hosts in the scanned range are passed over. */
  readonly isMeant: (url: string) => boolean
}

/** For tools that know what pywb says. */
export function inPywbsWords(message: string): ApiError {
  return new ApiError('request-bad-parameter', message)
}

export function cutShort(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…`.toWellFormed() : text
}

export function targetOf(dialect: CdxDialect, query: URLSearchParams): CdxTarget {
  const written = query.get('url') ?? ''
  if (written === '' && dialect === 'pywb') throw inPywbsWords('The "url" param is required')
  if (written === '')
    throw new ApiError('request-bad-parameter', 'Say what to look for: url=example.com/ or url=example.com/*')
  const { text, matchType } = matchOf(dialect, written, query.get('matchType'))
  const url = urlFromTyped(text)
  const any = () => true
  switch (matchType) {
    case 'exact':
      return { selection: { kind: 'url', url: url.href }, url, isMeant: any }
    case 'prefix':
      return { selection: { kind: 'prefix', url: url.href }, url: undefined, isMeant: any }
    case 'host':
      return { selection: { kind: 'host', host: url.host }, url: undefined, isMeant: ofHost(url.host) }
    case 'domain':
      return { selection: { kind: 'site', site: url.host }, url: undefined, isMeant: ofHost(url.host) }
  }
}

/** Between the keys of an IPv6 address lie those of its neighbours; all other ranges hold what they should. */
function ofHost(host: string): CdxTarget['isMeant'] {
  return host.startsWith('[') ? (url) => URL.parse(url)?.hostname === host : () => true
}

const matchTypes = ['exact', 'prefix', 'host', 'domain'] as const

function matchOf(dialect: CdxDialect, written: string, type: string | null) {
  if (type !== null && type !== '') {
    const matchType = matchTypes.find((known) => known === type)
    if (matchType === undefined && dialect === 'pywb')
      throw inPywbsWords(`Invalid match_type: ${cutShort(type)}`)
    if (matchType === undefined) throw badParameter('matchType', type, `one of ${matchTypes.join(', ')}`)
    return { text: written, matchType }
  }
  if (/^(?:https?:\/\/)?\*\./i.test(written))
    return { text: written.replace('*.', '').replace(/\*$/, ''), matchType: 'domain' as const }
  if (written.endsWith('*')) return { text: written.slice(0, -1), matchType: 'prefix' as const }
  return { text: written, matchType: 'exact' as const }
}
