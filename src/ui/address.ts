// Addresses of the reading pages: what a request's target asks for.
//
// A target is taken as it was sent, because the archived URL in it has a query of its own. Browsers and proxies fold
// `http://` into `http:/`, people leave the scheme out: both are understood.

import { PolyhistorError } from '../errors.ts'
import { type TimeSpan, timestampSpan } from '../model/timestamp.ts'
import { type Url, urlFromTyped } from '../model/url/url.ts'

class AddressError extends PolyhistorError {
  declare readonly code: 'address-malformed'

  constructor(message: string) {
    super('address-malformed', message)
  }
}

/** A stretch of time as it stands in an address: `''`, `2020`, `2009-2015`. */
export interface Span {
  readonly written: string
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
}

export type Reading =
  | { readonly kind: 'calendar'; readonly url: Url; readonly span: Span }
  | {
      readonly kind: 'prefix'
      readonly url: Url
      readonly span: Span
      /** Redirects and errors are wanted too. */
      readonly isAll: boolean
      readonly after: string | undefined
    }
  | { readonly kind: 'version'; readonly url: Url; readonly digits: string; readonly isNotNewer: boolean }

export interface Comparing {
  readonly url: Url
  readonly left: TimeSpan
  readonly right: TimeSpan
}

const listPattern = /^\/web\/([0-9]{0,14}|[0-9]{0,14}-[0-9]{0,14})\*\/(.+)$/s
const versionPattern = /^\/web\/([0-9]{1,14})\/(.+)$/s
const comparePattern = /^\/diff\/([0-9]{1,14})\/([0-9]{1,14})\/(.+)$/s
const prefixPattern = /^(.*)\*(?:\?(all=1)?&?(?:after=([\w-]{1,3000}))?)?$/s

/** The routes that lead to these pages: whatever else stands under /web/ is not ours. */
export const listRoute = /^\/web\/[0-9-]*\*\/.+$/s
export const versionRoute = /^\/web\/[0-9]+\/.+$/s
export const compareRoute = /^\/diff\/.+$/s

export function parseReading(target: string): Reading {
  const list = listPattern.exec(target)
  if (list !== null) return parseList(spanOf(list[1]!), list[2]!)
  const version = versionPattern.exec(target)
  if (version === null) {
    throw new AddressError(
      'An address of the archive looks like /web/20200131/https://example.com/ or, for all versions, /web/*/https://example.com/: 1 to 14 digits of a time, then the URL.',
    )
  }
  const [, digits, written] = version
  timestampSpan(digits!) // Throws when there is no such time.
  const { rest, isNotNewer } = withoutPolicy(written!)
  return { kind: 'version', url: archivedUrl(rest), digits: digits!, isNotNewer }
}

/** `/web/https://example.com/`: the newest version, where there is one. */
export function parseUntimed(target: string): { readonly url: Url } {
  const match = /^\/web\/(?![0-9-]*\*?\/)(.+)$/s.exec(target)
  if (match === null)
    throw new AddressError('An address without a time looks like /web/https://example.com/.')
  return { url: archivedUrl(match[1]!) }
}

export function parseComparing(target: string): Comparing {
  const match = comparePattern.exec(target)
  if (match === null) {
    throw new AddressError(
      'A comparison looks like /diff/2019/2020/https://example.com/: two times of 1 to 14 digits, then the URL.',
    )
  }
  const [, left, right, url] = match
  return { url: archivedUrl(url!), left: timestampSpan(left!), right: timestampSpan(right!) }
}

function parseList(span: Span, rest: string): Reading {
  const prefix = prefixPattern.exec(rest)
  if (prefix === null) return { kind: 'calendar', url: archivedUrl(rest), span }
  const [, start, all, after] = prefix
  return { kind: 'prefix', url: archivedUrl(start!), span, isAll: all !== undefined, after }
}

/** A last parameter `policy=…` is ours, as in replay; one of the URL's own is written `policy%3D…`. */
function withoutPolicy(written: string): { rest: string; isNotNewer: boolean } {
  const match = /[?&]policy=([\w-]*)$/.exec(written)
  if (match === null) return { rest: written, isNotNewer: false }
  const [, policy] = match
  if (policy !== 'nearest' && policy !== 'not-newer') {
    throw new AddressError(
      'There are two policies: policy=nearest, which is the usual one, and policy=not-newer.',
    )
  }
  return { rest: written.slice(0, match.index), isNotNewer: policy === 'not-newer' }
}

/** What stands behind the time in a path. */
export function archivedUrl(written: string): Url {
  return urlFromTyped(written.replace(/^(https?):\/+/i, '$1://'))
}

/** `2020` to `2021-`: the first half from its start, the second to its end. */
function spanOf(written: string): Span {
  const [from = '', to = from] = written.split('-')
  const span = {
    written,
    fromMs: from === '' ? undefined : timestampSpan(from).fromMs,
    toMs: to === '' ? undefined : timestampSpan(to).toMs,
  }
  if (span.fromMs !== undefined && span.toMs !== undefined && span.fromMs >= span.toMs) {
    throw new AddressError(`${written} ends before it starts: write the earlier time first.`)
  }
  return span
}
