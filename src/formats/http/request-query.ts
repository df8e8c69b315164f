// Requests other than GET: their method and body as a query, `__wb_method=POST&a=b`, so that the answer can be indexed under a
// URL of its own and is found again when the same request comes.
//
// The rules are those of warcio.js and pywb, whose indexes and ours must agree: forms as they are, JSON and multipart forms as
// their fields, anything else as `__wb_post_data` in Base64, at most queryCharsMax characters of it.
// A URL that was really fetched with `__wb_method=…` in its query cannot be told from such an index URL; their indexes cannot either.

import { parseJson } from '../../model/json.ts'
import { parseUrl, type Url, UrlError } from '../../model/url/url.ts'
import { parseHttpHead, parseRequestLine } from './http-message.ts'

interface RequestFacts {
  readonly method: string
  readonly contentType: string | undefined
  /** After transfer-decoding. */
  readonly body: Uint8Array
}

/** What was asked, where that was no GET. */
export interface FetchedAs {
  readonly url: string
  readonly method: string
  /** The rest of the query; '' where there was no body. */
  readonly requestBody: string
}

const queryCharsMax = 4_096
/** More of a body cannot count: Base64 takes 4 characters for 3 bytes, and fields of JSON are shorter than the JSON. */
const bodyBytesMax = 1024 * 1024
const jsonDepthMax = 100
const jsonFieldsMax = 2_000
const methodPattern = /^[A-Z]{1,20}$/
const queryPattern = /[?&]__wb_method=([A-Z]{1,20})(?:&|$)/

/** undefined for a GET, which needs none. */
export function requestQuery({ method: written, contentType = '', body }: RequestFacts): string | undefined {
  const method = written.toUpperCase()
  if (method === 'GET' || !methodPattern.test(method)) return undefined
  return `__wb_method=${method}&${decoded(cut(bodyQuery(contentType, body.subarray(0, bodyBytesMax))))}`
}

/** The same of a request as it was sent. */
export function queryOfRequest(block: Uint8Array, body?: Uint8Array): string | undefined {
  const head = parseHttpHead(block)
  const line = head && parseRequestLine(head.startLine)
  if (head === undefined || line === undefined) return undefined
  return requestQuery({
    method: line.method,
    contentType: head.headers.get('Content-Type'),
    body: body ?? block.subarray(head.length),
  })
}

/** The URL that the answer is indexed under. Of a URL that is too long for that the method alone is added, or nothing. */
export function indexUrl(url: Url, query: string): Url {
  const mark = url.href.includes('?') ? '&' : '?'
  for (const text of [query, query.slice(0, query.indexOf('&') + 1)]) {
    try {
      // A # would begin the fragment, which is not kept.
      return parseUrl(`${url.href}${mark}${text.replaceAll('#', '%23')}`)
    } catch (error) {
      if (!(error instanceof UrlError)) throw error
    }
  }
  return url
}

/** undefined for the URL of a GET. */
export function fetchedAs(href: string): FetchedAs | undefined {
  const match = queryPattern.exec(href)
  if (match === null || match[1] === 'GET') return undefined
  return {
    url: href.slice(0, match.index),
    method: match[1]!,
    requestBody: href.slice(match.index + match[0].length),
  }
}

/** The URL itself, without method and body. */
export function fetchedUrl(href: string): string {
  return href.includes('__wb_method=') ? (fetchedAs(href)?.url ?? href) : href
}

function bodyQuery(contentType: string, body: Uint8Array): string {
  const text = () => Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
  switch (contentType.split(';')[0]!.trim().toLowerCase()) {
    case 'application/x-www-form-urlencoded':
      return text()
    case 'application/json':
      return jsonQuery(text()) ?? ''
    case 'text/plain':
      return jsonQuery(text()) ?? base64Query(body)
    case 'multipart/form-data':
      return multipartQuery(text(), contentType)
    default:
      return base64Query(body)
  }
}

function base64Query(body: Uint8Array): string {
  const start = body.subarray(0, queryCharsMax)
  return `__wb_post_data=${Buffer.from(start.buffer, start.byteOffset, start.byteLength).toString('base64')}`
}

/** Every string, number, boolean and null under the nearest name above it; further ones of a name are `name.2_`, `name.3_`. */
function jsonQuery(text: string): string | undefined {
  const json = parseJson(text)
  if (json === undefined) return undefined
  const query = new URLSearchParams()
  const counts = new Map<string, number>()
  const walk = (value: unknown, name: string, depth: number): void => {
    if (counts.size >= jsonFieldsMax || depth > jsonDepthMax) return
    if (Array.isArray(value)) for (const item of value) walk(item, name, depth + 1)
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) walk(item, key, depth + 1)
    } else if (value !== '') {
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      if (count <= jsonFieldsMax) query.append(count === 1 ? name : `${name}.${count}_`, String(value))
    }
  }
  walk(json, '', 0)
  return query.toString()
}

/** The fields of a form; of files, nothing. */
function multipartQuery(text: string, contentType: string): string {
  const query = new URLSearchParams()
  const boundary = /boundary="?([^";]+)/i.exec(contentType)?.[1]
  if (boundary === undefined) return ''
  for (const part of text.split(`--${boundary}`)) {
    const match = /name="([^"]+)"\r?\n\r?\n([^\r\n]*)/i.exec(part)
    if (match !== null) query.set(match[1]!, match[2]!)
  }
  return query.toString()
}

/** Not in the midst of an escape. */
function cut(query: string): string {
  return query.length <= queryCharsMax
    ? query
    : query
        .slice(0, queryCharsMax)
        .toWellFormed()
        .replace(/(?:%[0-9a-f]{2})*%?[0-9a-f]?$/i, lastWhole)
}

/** Of escapes at a cut: those that make whole characters. */
function lastWhole(escapes: string): string {
  const whole = escapes.replace(/%[0-9a-f]?$/i, '')
  for (let end = whole.length; end >= whole.length - 9 && end >= 0; end -= 3) {
    if (isDecodable(whole.slice(0, end))) return whole.slice(0, end)
  }
  return whole
}

function isDecodable(text: string): boolean {
  return decoded(text) !== '' || text === ''
}

/** What cannot be decoded is left out, as theirs do. */
function decoded(query: string): string {
  try {
    return decodeURI(query)
  } catch {
    return ''
  }
}
