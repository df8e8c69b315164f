// SURT: a URL's key in every index, as the Internet Archive makes it, so that our indexes and theirs agree.
//
// `http://www.Example.com:80/b/?y=2&x=1#z` is `com,example)/b?x=1&y=2`: the host reversed, so that a domain's
// pages sort together, and what rarely tells pages apart left out: scheme, `www`, userinfo, default port, letter
// case, session ids, order of parameters, trailing slash, fragment.
//
// A key is ASCII without spaces and control characters, so that it can stand in a CDXJ line and sorts bytewise.
// It is made of the URL as WHATWG parses it. Where that differs from the Archive's own reading, ours wins, since
// it is what was fetched: dot segments above the root are dropped, `\` is `/`, `ß` in a host stays itself, IPv6
// addresses are compressed, hexadecimal IPv4 parts are understood. The Archive's library reads hosts that are no
// hosts, too; so that old archives can be imported, surtOf falls back on such a reading.
//
// Keys of a whole host or site are in surt-range.ts.

import { looseUrlParts } from './loose-url.ts'
import { decodeRepeatedly, encodeMinimally } from './percent-encoding.ts'
import { stripPathSessionIds, stripQuerySessionIds } from './session-id.ts'
import { absoluteFromTyped, trimUrl } from './typed-url.ts'
import { quoteUrl, UrlError } from './url-error.ts'

/** What a key is made of. Everything is ASCII, as WHATWG's serialisation has it. */
export interface SurtParts {
  /** Without brackets, lower case. */
  readonly host: string
  /** Digits; empty for the default port. */
  readonly port: string
  readonly path: string
  /** Without `?`. */
  readonly query: string
}

/** Longer texts are no URLs that anyone could have fetched. */
const surtInputCharsMax = 65_536

/**
 * The key of any text that names a resource; throws only if the text is too long. A text without a scheme is
 * taken for http. URLs without a host (`dns:`, `mailto:`, `urn:`, `data:`) are their own keys; no text has `-`.
 */
export function surtOf(text: string): string {
  if (text.length > surtInputCharsMax) {
    throw new UrlError('url-too-long', `${quoteUrl(text)} has more than ${surtInputCharsMax} characters`)
  }
  const trimmed = trimUrl(text)
  if (trimmed === '') return '-'
  if (trimmed.startsWith('filedesc')) return opaqueKey(trimmed)
  const absolute = absoluteFromTyped(trimmed)
  const parsed = URL.parse(absolute)
  if (parsed === null) {
    const loose = looseUrlParts(absolute)
    return loose === null ? opaqueKey(absolute) : surtOfParts(loose)
  }
  if (parsed.hostname === '') return opaqueKey(parsed.href)
  return surtOfParts({
    host: withoutBrackets(parsed.hostname),
    port: parsed.port,
    path: parsed.pathname,
    query: parsed.search.slice(1),
  })
}

export function surtOfParts(parts: SurtParts): string {
  const query = canonicalQuery(parts.query)
  const key = `${surtAuthority(parts.host, parts.port)})${canonicalPath(parts.path)}`
  return query === '' ? key : `${key}?${query}`
}

/** The part of a key before `)`: `com,example` or `com,example:8080`. */
export function surtAuthority(host: string, port: string): string {
  const reversed = reverseLabels(withoutWww(withoutStrayDots(host)))
  return port === '' || port === '0' ? reversed : `${reversed}:${port}`
}

export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

function withoutStrayDots(host: string): string {
  if (!host.endsWith('.') && !host.startsWith('.') && !host.includes('..')) return host
  return host
    .replaceAll('..', '.')
    .replace(/^\.+/, '')
    .replace(/(?<!\.)\.+$/, '')
}

function withoutWww(host: string): string {
  return host.startsWith('www') ? host.replace(/^www[0-9]*\./, '') : host
}

/** IPv4 addresses too, as the Archive does. */
function reverseLabels(host: string): string {
  let end = host.length
  let reversed = ''
  for (let dot = host.lastIndexOf('.'); dot !== -1; dot = dot === 0 ? -1 : host.lastIndexOf('.', dot - 1)) {
    reversed += `${host.slice(dot + 1, end)},`
    end = dot
  }
  return reversed + host.slice(0, end)
}

function canonicalPath(path: string): string {
  const decoded = decodeRepeatedly(path)
  const encoded = encodeMinimally(mayNeedMerging.test(decoded) ? mergeSegments(decoded) : decoded || '/')
  const stripped = stripPathSessionIds(encoded.toLowerCase())
  return stripped.length > 1 && stripped.endsWith('/') ? stripped.slice(0, -1) : stripped
}

const mayNeedMerging = /\/[/.]/

/**
 * Collapses slashes and resolves the dot segments that decoding brought to light. As in the Archive's keys, a
 * `..` with nothing before it stays, and one after that takes it away.
 */
function mergeSegments(path: string): string {
  const kept: string[] = []
  for (const segment of path.slice(path.indexOf('/') + 1).split('/')) {
    if (segment === '.') continue
    if (segment === '..' && kept.length > 0) kept.pop()
    else kept.push(segment)
  }
  const last = kept.pop() ?? ''
  let merged = '/'
  for (const segment of kept) if (segment !== '') merged += `${segment}/`
  return merged + last
}

function canonicalQuery(query: string): string {
  if (query === '') return ''
  const encoded = encodeMinimally(decodeRepeatedly(query))
  return sortParameters(stripQuerySessionIds(encoded).toLowerCase())
}

/** By name, a bare name before an empty value, then by value. */
function sortParameters(query: string): string {
  if (!query.includes('&')) return query
  // No canonical query holds a NUL, and it sorts before everything: `a` < `a=` < `a=1` < `a!=1`.
  const parameters = query.split('&').map((parameter) => parameter.replace('=', '\0'))
  return parameters.sort().join('&').replaceAll('\0', '=')
}

function opaqueKey(text: string): string {
  const fragment = text.indexOf('#')
  const kept = fragment === -1 ? text : text.slice(0, fragment)
  return kept.toWellFormed().replace(/[\x00-\x20\x7f]|[^\x00-\x7f]+/g, encodeURIComponent)
}
